import assert from "node:assert/strict";
import { test } from "node:test";
import { BindError, dto, HttpError, string } from "@tenon/core";
import { InvalidMessage } from "@tenon/live";
import { z } from "zod";
import { LiveEvent } from "../src/channels/live-event.ts";
import { IncomingMessages, OutgoingMessages, type Syntax } from "../src/messages.ts";

const toJson: Syntax = { head: () => "", body: (_, json) => json, position: (id) => id };

test("schemas of other libraries validate messages in both directions", async () => {
  const schema = z.object({ count: z.number().max(3) });
  const sends = new OutgoingMessages({ counted: schema }, toJson);
  assert.equal(sends.encode("counted", { count: 3, secret: "x" }).body.toString(), '{"count":3}');
  assert.throws(() => sends.encode("counted", { count: 4 }), InvalidMessage);
  const receives = new IncomingMessages({ count: schema });
  assert.deepEqual(await receives.read({ event: "count", data: { count: 1 } }), { name: "count", data: { count: 1 } });
  await assert.rejects(
    Promise.try(() => receives.read({ event: "count", data: { count: 4 } })),
    BindError,
  );
  assert.throws(() => receives.read({ event: "other" }), HttpError);
  assert.throws(() => receives.read(null), HttpError);
});

test("a message cannot wait for a schema that validates asynchronously", () => {
  const slow = z.object({ text: z.string() }).refine(async () => true);
  const sends = new OutgoingMessages({ slow }, toJson);
  assert.throws(() => sends.encode("slow", { text: "x" }), /validates asynchronously|InvalidMessage|async/i);
});

test("an invalid message says where", () => {
  const sends = new OutgoingMessages({ said: dto({ text: string("required") }) }, toJson);
  assert.throws(
    () => sends.encode("said", { text: 7 }),
    (error: unknown) =>
      error instanceof InvalidMessage && /"said" does not match its schema:\n {2}text: /.test(error.message),
  );
});

test("an event is encoded once for all clients, whatever their ids are", () => {
  const sends = new OutgoingMessages(
    { said: dto({ text: string("required") }) },
    { ...toJson, head: (id) => `${id} ` },
  );
  const event = new LiveEvent("topic", "said", '{"text":"größe"}', { epoch: 1, number: 1 });
  const [one, other] = ["1", "2"].map((id) => sends.encodeEvent(event, id, () => {}));
  assert.deepEqual([one?.head, other?.head], ["1 ", "2 "]);
  assert.equal(one?.body.toString(), '{"text":"größe"}');
  assert.equal(one?.body, other?.body);
});
