import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Context, MiddlewareFunction } from "@tenon/core";
import { type Compiled, compose } from "../../src/request/compose.ts";

const ctx = {} as Context; // the chain passes it on and never reads it
const compiled = (handle: MiddlewareFunction, name = "middleware"): Compiled => ({ name, handle, contract: undefined });

/** Runs a chain of these functions around a handler. */
function run(middlewares: readonly MiddlewareFunction[], handler: () => unknown, lost: string[] = []): unknown {
  const chain = compose(
    middlewares.map((handle, index) => compiled(handle, `m${index}`)),
    handler,
    { onLostValue: (name) => lost.push(name) },
  );
  return chain(ctx);
}

test("a synchronous chain returns a value, not a promise", () => {
  assert.equal(
    run([(_, next) => next(), (_, next) => `${next()}!`], () => "value"),
    "value!",
  );
});

test("a middleware that returns what next() gave passes the same promise on", () => {
  const value = Promise.resolve("value");
  assert.equal(
    run([(_, next) => next(), (_, next) => next()], () => value),
    value,
  );
});

test("middlewares run from the outside in and see the value from the inside out", async () => {
  const order: string[] = [];
  const trace =
    (name: string): MiddlewareFunction =>
    async (_, next) => {
      order.push(`${name} in`);
      const value = await next();
      order.push(`${name} out`);
      return `${name}(${value})`;
    };
  const value = await run([trace("a"), trace("b"), trace("c")], () => {
    order.push("handler");
    return "x";
  });
  assert.equal(value, "a(b(c(x)))");
  assert.deepEqual(order, ["a in", "b in", "c in", "handler", "c out", "b out", "a out"]);
});

for (const [title, middleware] of [
  [
    "synchronously",
    (_, next) => {
      next();
      return next();
    },
  ],
  [
    "after an await",
    async (_, next) => {
      await next();
      return next();
    },
  ],
  ["concurrently", (_, next) => Promise.all([next(), next()])],
] satisfies [string, MiddlewareFunction][]) {
  test(`calling next() twice ${title} throws, and the handler runs once`, async () => {
    let runs = 0;
    await assert.rejects(
      async () =>
        run([middleware], () => {
          runs++;
          return "value";
        }),
      { message: "m0 called next() twice" },
    );
    assert.equal(runs, 1);
  });
}

const droppers: Record<string, MiddlewareFunction> = {
  "a synchronous middleware": (_, next) => {
    next();
  },
  "an async middleware that awaits next()": async (_, next) => {
    await next();
  },
  "an async middleware that does not await next()": async (_, next) => {
    next();
  },
};
for (const [title, middleware] of Object.entries(droppers)) {
  test(`a dropped value of next() is used and warned about once: ${title}`, async () => {
    for (const handler of [() => "value", async () => "value"]) {
      const lost: string[] = [];
      const chain = compose([compiled(middleware, "Careless")], handler, { onLostValue: (name) => lost.push(name) });
      assert.equal(await chain(ctx), "value");
      assert.equal(await chain(ctx), "value");
      assert.deepEqual(lost, ["Careless"]);
    }
    const none: string[] = [];
    assert.equal(await run([middleware], async () => undefined, none), undefined);
    assert.deepEqual(none, [], "a handler without a value");
  });
}

test("each middleware that drops a value has a warning with its name", async () => {
  const lost: string[] = [];
  const drop: MiddlewareFunction = async (_, next) => {
    await next();
  };
  assert.equal(await run([drop, (_, next) => next(), drop], () => "value", lost), "value");
  assert.deepEqual(lost, ["m2", "m0"]);
});

test("null is a value: a middleware may return it", () => {
  const nothing: MiddlewareFunction = (_, next) => [next(), null][1];
  assert.equal(
    run([nothing], () => "value"),
    null,
  );
});

test("an error of the handler reaches the middlewares, which may return a value instead", async () => {
  const rescue: MiddlewareFunction = async (_, next) => {
    try {
      return await next();
    } catch (error) {
      return `rescued from ${String(error)}`;
    }
  };
  const fail = () => {
    throw new Error("sync");
  };
  assert.equal(await run([rescue, (_, next) => next()], fail), "rescued from Error: sync");
  assert.equal(await run([rescue], () => Promise.reject(new Error("async"))), "rescued from Error: async");
  assert.throws(() => run([(_, next) => next()], fail), { message: "sync" });
});

/** The unhandled rejections while `body` runs: each would crash the process. */
async function unhandledDuring(body: () => Promise<void>): Promise<unknown[]> {
  const reasons: unknown[] = [];
  const listen = (reason: unknown) => reasons.push(reason);
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", listen);
  try {
    await body();
    for (let round = 0; round < 3; round++) await turn();
  } finally {
    process.off("unhandledRejection", listen);
    for (const other of others) process.on("unhandledRejection", other);
  }
  return reasons;
}

test("a middleware that fails before the inner promise rejects leaves no unhandled rejection", async () => {
  const reasons = await unhandledDuring(async () => {
    const gate = Promise.withResolvers<void>();
    const late = async () => {
      await gate.promise;
      throw new Error("late");
    };
    const hasty: MiddlewareFunction = (_, next) => {
      next();
      throw new Error("hasty");
    };
    const forgetful: MiddlewareFunction = async (_, next) => {
      next();
      return "returned already";
    };
    const pass: MiddlewareFunction = (_, next) => next();
    const wait: MiddlewareFunction = async (_, next) => await next();
    for (const inner of [[], [pass], [wait], [wait, wait]]) {
      assert.throws(() => run([hasty, ...inner], late), { message: "hasty" });
      assert.equal(await run([forgetful, ...inner], late), "returned already");
    }
    gate.resolve();
  });
  assert.deepEqual(reasons, []);
});
