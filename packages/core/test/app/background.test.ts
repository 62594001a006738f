import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  type Context,
  createApp,
  defineModule,
  HttpError,
  inject,
  type OnStart,
  type OnStop,
  provide,
  token,
} from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { Background, type BackgroundPlatform, type Incoming, Outgoing } from "@tenon/core/platform";
import { createTestApp } from "@tenon/core/testing";

const Events = token<string[]>("Events");

class Service implements OnStart, OnStop {
  readonly #events = inject(Events);
  onStart() {
    this.#events.push("service starts");
  }
  onStop() {
    this.#events.push("service stops");
  }
}

class Work {
  readonly #events = inject(Events);
  readonly background = inject(Background);
  constructor() {
    this.background.add(this);
  }
  start() {
    this.#events.push("work starts");
  }
  async stop() {
    this.#events.push("work stops");
  }
}

class Commands {
  routes() {
    return [
      { path: "reports/send", handler: this.send, middlewares: [trace] },
      { method: "GET" as const, path: "/reports", handler: this.send },
    ];
  }
  send(ctx: Context) {
    return `${ctx.id} ${ctx.get("traced")}`;
  }
}

function trace(ctx: Context, next: () => unknown) {
  ctx.set("traced", "by a middleware");
  return next();
}

function createModule() {
  const events: string[] = [];
  const module = defineModule({ name: "app", declarations: [Work, Service, Commands, provide(Events, () => events)] });
  return { events, module };
}

test("background work starts after every service and stops before them", async () => {
  const { events, module } = createModule();
  const app = await createTestApp(module, api(), { background: true });
  await app.start();
  await app.stop();
  assert.deepEqual(events, ["service starts", "work starts", "work stops", "service stops"]);
});

test("background work does not start in a test, on the command line, or when it is off", async () => {
  for (const create of [
    (module: ReturnType<typeof defineModule>) => createTestApp(module, api()),
    (module: ReturnType<typeof defineModule>) => createApp(module, cli({ name: "app" }), { log: { level: "silent" } }),
    (module: ReturnType<typeof defineModule>) =>
      createApp(module, api(), { background: false, log: { level: "silent" } }),
  ]) {
    const { events, module } = createModule();
    const app = await create(module);
    await app.start();
    await app.stop();
    assert.deepEqual(events, ["service starts", "work stops", "service stops"]);
  }
});

test("work that fails to start fails the start, and the services stop", async () => {
  const { events, module } = createModule();
  class Broken {
    constructor() {
      inject(Background).add(this);
    }
    start() {
      throw new Error("no licence");
    }
    async stop() {}
  }
  const whole = defineModule({ name: "whole", imports: [module], declarations: [Broken] });
  await assert.rejects(createTestApp(whole, api(), { background: true }), /no licence/);
  assert.deepEqual(events.slice(-1), ["service stops"]);
});

function toIncoming(path: string): Incoming {
  return {
    id: "run-1",
    isCommand: true,
    method: "",
    path,
    search: "",
    address: "",
    peer: undefined,
    protocol: "",
    host: "",
    signal: new AbortController().signal,
    header: () => undefined,
    headers: () => ({}),
    readBody: async () => new Uint8Array(),
  };
}

const platform: BackgroundPlatform = {
  name: "reports",
  middlewares: [],
  serves: (route) => route.method === undefined,
  serialize: (reply) => new Outgoing(reply.status, String(reply.value), ""),
  fail: (error) => new Outgoing(error instanceof HttpError ? error.status : 500, "failed", ""),
};

test("background work runs routes that the platform does not serve, with their middlewares", async () => {
  const { module } = createModule();
  const app = await createTestApp(module, api());
  try {
    const { kernel, routes } = app.get(Work).background.open(platform);
    assert.deepEqual(
      routes.list().map(({ path }) => path),
      ["reports/send"],
    );
    const outgoing = await kernel.handle(toIncoming("/reports/send"));
    assert.equal(outgoing.body, "run-1 by a middleware");
    assert.equal((await kernel.handle(toIncoming("/reports/none"))).status, 404);
    assert.equal((await app.request("GET", "/reports")).status, 200);
  } finally {
    await app.stop();
  }
});
