import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { api, createApp, defineModule, inject, type Module, provide, type Routes, token } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { LogLines } from "../support/log-lines.ts";
import { rejection } from "../support/start-error.ts";

const quiet = { onStartError: "throw", log: { level: "silent" } } as const;

/** Three services, each needing the one before, declared in the opposite order. What happens is written to `events`. */
function createChain(events: string[], hooks: { readonly start?: () => unknown; readonly stop?: () => unknown } = {}) {
  class Database {
    async onStart() {
      await Promise.resolve();
      events.push("start Database");
    }
    async onStop() {
      await Promise.resolve();
      events.push("stop Database");
    }
  }
  class Users {
    readonly database = inject(Database);
    async onStart() {
      events.push("start Users");
      await hooks.start?.();
    }
    async onStop() {
      events.push("stop Users");
      await hooks.stop?.();
    }
  }
  class PostsController {
    readonly users = inject(Users);
    onStart() {
      events.push("start PostsController");
    }
    onStop() {
      events.push("stop PostsController");
    }
    routes(): Routes {
      return [{ method: "GET", path: "/", handler: () => events.push("request") }];
    }
  }
  const data = defineModule({ name: "data", declarations: [Users, Database], exports: [Users] });
  return defineModule({ name: "app", imports: [data], declarations: [PostsController] });
}

const started = ["start Database", "start Users", "start PostsController"];
const stopped = ["stop PostsController", "stop Users", "stop Database"];
const get = () => new Request("http://localhost/");

for (const transport of ["fetch", "socket"]) {
  test(`onStart() runs in dependency order before the first request, and onStop() in reverse, once (${transport})`, async () => {
    const events: string[] = [];
    const app = await createApp(createChain(events), api(), quiet);
    const { url } = transport === "socket" ? await app.listen({ port: 0, signals: false }) : { url: undefined };
    assert.deepEqual(events, url === undefined ? [] : started);
    assert.equal((await (url === undefined ? app.fetch(get()) : fetch(url))).status, 200);
    await Promise.all([app.stop(), app.stop()]);
    await app.stop();
    assert.deepEqual(events, [...started, "request", ...stopped]);
  });
}

test("calls that come together start once", async () => {
  const events: string[] = [];
  const app = await createApp(createChain(events), api(), quiet);
  await Promise.all([app.fetch(get()), app.start(), app.fetch(get()), app.start(), app.fetch(get())]);
  await app.start();
  assert.deepEqual(events, [...started, "request", "request", "request"]);
});

test("an application that never started runs no onStop()", async () => {
  const events: string[] = [];
  const app = await createApp(createChain(events), api(), quiet);
  await app.stop();
  assert.deepEqual(events, []);
});

test("a start that fails stops what had started, in reverse, and starts nothing more", async () => {
  const events: string[] = [];
  const fail = () => Promise.reject(new Error("no table"));
  const app = await createApp(createChain(events, { start: fail }), api(), quiet);
  const error = await rejection(app.start());
  assert.equal(
    error.message,
    'onStart() of Users (module "data") failed: no table. LOG_LEVEL=debug shows where it was thrown.',
  );
  assert.deepEqual(events, ["start Database", "start Users", "stop Database"]);
});

test("a start that failed stays failed: later calls reject with the same error and run no hook again", async () => {
  const events: string[] = [];
  const fail = () => Promise.reject(new Error("no table"));
  const app = await createApp(createChain(events, { start: fail }), api(), quiet);
  const first = await rejection(app.fetch(get()));
  const after = [...events];
  assert.equal(await rejection(app.fetch(get())), first);
  assert.equal(await rejection(app.start()), first);
  assert.equal(await rejection(app.listen({ port: 0, signals: false })), first);
  await app.stop();
  assert.deepEqual(events, after);
});

test("an onStop() that fails is logged and the others still run", async () => {
  const events: string[] = [];
  const lines = new LogLines();
  const fail = () => Promise.reject(new Error("still in use"));
  const app = await createTestApp(createChain(events, { stop: fail }), api(), { log: lines.options });
  await app.stop();
  assert.deepEqual(events, [...started, ...stopped]);
  assert.deepEqual(lines.messages("error"), ['onStop() of Users (module "data") failed']);
  assert.deepEqual(lines.causes(), ["still in use"]);
});

test("a stop continues without an onStop() that never ends, and the others still run", async () => {
  const events: string[] = [];
  const lines = new LogLines();
  const hang = () => new Promise(() => {});
  const module = createChain(events, { stop: hang });
  const app = await createTestApp(module, api(), { log: lines.options, stopTimeout: 20 });
  await app.stop();
  assert.deepEqual(events, [...started, ...stopped]);
  assert.deepEqual(lines.messages("error"), [
    'onStop() of Users (module "data") did not end in time: the stop goes on without it',
  ]);
});

test("hooks that never end have one stopTimeout together", async (t) => {
  const lines = new LogLines();
  const hang = () => new Promise(() => {});
  class Hanging {
    readonly onStop = hang;
  }
  const module = defineModule({ name: "hanging", imports: [createChain([], { stop: hang })], declarations: [Hanging] });
  const app = await createTestApp(module, api(), { log: lines.options, stopTimeout: 4000 });
  let now = performance.now();
  t.mock.method(performance, "now", () => now);
  t.mock.timers.enable({ apis: ["setInterval"] });
  const stopping = app.stop();
  const pass = async (milliseconds: number) => {
    await setImmediate(); // what was waiting for the last one goes on
    now += milliseconds;
    t.mock.timers.tick(milliseconds);
  };
  for (let quarter = 0; quarter < 4; quarter++) await pass(1000);
  for (let step = 0; step < 4; step++) await pass(1);
  const ended = await Promise.race([stopping.then(() => true), setImmediate(false)]);
  assert.ok(ended, "the second one had a time of its own");
  assert.equal(lines.messages("error").length, 2);
});

test("a stop that comes during the start lets the hook that runs finish, starts nothing more and undoes the rest", async () => {
  const events: string[] = [];
  const reached = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const hold = () => {
    reached.resolve();
    return release.promise;
  };
  const app = await createApp(createChain(events, { start: hold }), api(), quiet);
  const starting = rejection(app.start());
  const waiting = app.fetch(get());
  await reached.promise;
  const stopping = app.stop();
  release.resolve();
  await stopping;
  assert.equal((await starting).problems[0]?.code, "APP_STOPPED");
  assert.equal((await waiting).status, 503);
  assert.deepEqual(events, ["start Database", "start Users", "stop Users", "stop Database"]);
});

test("a stop that comes during the last hook of the start undoes all of it, and the start has failed", async () => {
  const reached = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const events: string[] = [];
  class Last {
    async onStart() {
      reached.resolve();
      await release.promise;
      events.push("start");
    }
    onStop() {
      events.push("stop");
    }
  }
  const app = await createApp(defineModule({ name: "app", declarations: [Last] }), api(), quiet);
  const starting = rejection(app.start());
  const listening = rejection(app.listen({ port: 0, signals: false }));
  await reached.promise;
  const stopping = app.stop();
  release.resolve();
  await stopping;
  assert.equal((await starting).problems[0]?.code, "APP_STOPPED");
  assert.equal((await listening).problems[0]?.code, "APP_STOPPED");
  assert.deepEqual(events, ["start", "stop"]);
});

test("a stop waits for an onStart() that hangs no longer than for an onStop()", async () => {
  const events: string[] = [];
  const lines = new LogLines();
  const reached = Promise.withResolvers<void>();
  const hang = () => {
    reached.resolve();
    return new Promise(() => {});
  };
  const app = await createApp(createChain(events, { start: hang }), api(), {
    onStartError: "throw",
    log: lines.options,
    stopTimeout: 20,
  });
  void app.start();
  await reached.promise;
  await app.stop();
  assert.deepEqual(events, ["start Database", "start Users", "stop Database"]);
  assert.deepEqual(lines.messages("error"), ["an onStart() did not end in time: the stop goes on without it"]);
});

test("after a stop, fetch responds with 503 and listen rejects", async () => {
  const app = await createTestApp(createChain([]), api());
  await app.stop();
  const response = await app.fetch(get());
  assert.equal(response.status, 503);
  assert.deepEqual(await response.json(), { error: "Service Unavailable" });
  assert.equal((await rejection(app.listen({ port: 0, signals: false }))).problems[0]?.code, "APP_STOPPED");
});

test("onStop() waits for the requests that are under way", async () => {
  const events: string[] = [];
  const reached = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  class SlowController {
    onStop() {
      events.push("stopped");
    }
    routes(): Routes {
      return [{ method: "GET", path: "/", handler: this.slow }];
    }
    async slow() {
      reached.resolve();
      await release.promise;
      events.push("responded");
    }
  }
  const app = await createTestApp(defineModule({ name: "app", declarations: [SlowController] }), api());
  const request = app.request("GET", "/");
  await reached.promise;
  const stopping = app.stop();
  release.resolve();
  assert.equal((await request).status, 204);
  await stopping;
  assert.deepEqual(events, ["responded", "stopped"]);
});

test("what factories and overrides make and what middlewares are has hooks too", async () => {
  const events: string[] = [];
  const withHooks = (name: string) => ({ onStart: () => events.push(name), onStop: () => events.push(`-${name}`) });
  const Provided = token<object>("Provided");
  const Replaced = token<object>("Replaced");
  class Guard {
    onStart() {
      events.push("guard");
    }
    handle(_: unknown, next: () => unknown) {
      return next();
    }
  }
  class GuardedController {
    routes(): Routes {
      return [{ path: "/a", middlewares: [Guard], children: [{ method: "GET", path: "/b", handler: () => 1 }] }];
    }
  }
  const module: Module = defineModule({
    name: "app",
    declarations: [
      GuardedController,
      provide(Provided, () => withHooks("provided")),
      provide(Replaced, () => withHooks("never")),
    ],
  });
  const override = [provide(Replaced, () => withHooks("replaced"))];
  const app = await createTestApp(module, api(), { override });
  await app.stop();
  assert.deepEqual(events, ["provided", "replaced", "guard", "-replaced", "-provided"]);
});
