import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Class, defineModule, dto, type Routes, StartError, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { events, type LiveOptions, liveModule, socket } from "@tenon/live";
import { MessageRate } from "../src/socket/message-rate.ts";

const Said = dto({ text: string("required") });

/** The message of the error with which an application with this handler does not start. */
async function problemOf(createHandler: () => unknown): Promise<string> {
  class Broken {
    readonly handler = createHandler() as () => unknown;
    routes(): Routes {
      return [{ method: "GET", path: "/", handler: this.handler }];
    }
  }
  const module = defineModule({ name: "test", imports: [liveModule()], declarations: [Broken as Class] });
  return createTestApp(module, api()).then(
    () => "started",
    (error: unknown) => (error instanceof StartError ? error.message : String(error)),
  );
}

test("options of liveModule() are checked", async () => {
  const start = (options: LiveOptions) => createTestApp(liveModule(undefined, options), api());
  const problems: readonly [LiveOptions, RegExp][] = [
    [{ heartbeat: 0 }, /heartbeat of liveModule\(\) is 0. It takes a whole number from 1/],
    [{ idle: -1 }, /idle of liveModule\(\) is -1. It takes a whole number from 0/],
    [{ origins: ["app.example"] }, /origins of liveModule\(\) is \["app.example"\]/],
    [{ heartbeats: 1 } as LiveOptions, /heartbeats \(did you mean heartbeat\?\)/],
  ];
  for (const [options, message] of problems) await assert.rejects(start(options), message);
  await (await start({ idle: 0, origins: ["https://app.example"] })).stop();
});

test("messages and handlers of live routes are checked at start", async () => {
  const sends = { said: Said };
  const open = () => {};
  const problems: readonly [() => unknown, RegExp][] = [
    [() => events({ sends: { reset: Said } }, open), /sends of events\(\) has the name "reset", which is taken/],
    [() => events({ sends: { "a b": Said } }, open), /has the name "a b". Use letters/],
    [() => events({ sends: { said: {} as typeof Said } }, open), /has "said", which is not a schema/],
    [() => events({ sends }, undefined as unknown as typeof open), /events\(\) takes a contract and a handler/],
    [() => events({ sends, limits: { pendingBytes: 0 } }, open), /limits\.pendingBytes of events\(\) is 0/],
    [() => socket({ sends, receives: {} }, { on: {}, opened: open } as never), /opened \(did you mean open\?\)/],
    [() => socket({ sends, receives: {}, origins: ["*"] }, { on: {} }), /origins of socket\(\) is \["\*"\]/],
  ];
  for (const [create, message] of problems) assert.match(await problemOf(create), message);
  assert.equal(await problemOf(() => socket({ sends, receives: {} }, { on: {} })), "started");
});

test("events() outside of a controller says where it belongs", () => {
  assert.throws(
    () => events({ sends: { said: Said } }, () => {}),
    /inject\(LiveConnections\) was called outside construction/,
  );
});

test("a rate allows a burst and then as many messages as it says", () => {
  const rate = new MessageRate(2, 0);
  const take = (count: number, now: number) =>
    Array.from({ length: count }, () => rate.take(now)).filter(Boolean).length;
  assert.equal(take(20, 0), 10);
  assert.equal(take(20, 1000), 2);
  assert.equal(take(20, 1250), 0);
  assert.equal(take(20, 1500), 1);
  assert.equal(take(50, 1_000_000), 10);
});
