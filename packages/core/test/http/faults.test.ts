import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import type { Context, Next, Routes } from "@tenon/core";
import { isFullRun } from "../support/seed.ts";
import { parseResponses, testOnWire, type Wire } from "../support/wire.ts";

/** The reliability part L3 repeats them 10,000 times. */
const rounds = isFullRun ? 200 : 20;
const path = "/";
const get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

interface Outcome {
  readonly status: number;
  /** Log lines at `error` per request. */
  readonly errors: number;
}

/** Repeats one request: each gets one response, always the same, and no rejection is unhandled. */
async function repeat({ connect, log, serveOthers }: Wire, outcome: Outcome, ran: () => number): Promise<void> {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    const client = connect().send(get.repeat(rounds));
    const responses = await client.responses(rounds);
    assert.deepEqual(new Set(responses.map((response) => response.status)), new Set([outcome.status]));
    await serveOthers();
    assert.equal(client.closed, false);
    assert.equal(parseResponses(client.text).length, rounds, "one response each");
    assert.ok(ran() <= rounds, `the handler ran ${ran()} times`);
    assert.equal(log.messages("error").length, outcome.errors * rounds);
    assert.deepEqual(unhandled, []);
  } finally {
    process.off("unhandledRejection", note);
  }
}

function testFault(name: string, outcome: Outcome, make: (ran: () => void) => Routes[number]): void {
  let count = 0;
  const route = make(() => {
    count++;
  });
  testOnWire(`${name} is one ${outcome.status} each, ${rounds} times`, [route], (wire) =>
    repeat(wire, outcome, () => count),
  );
}

const failed = { status: 500, errors: 1 };

testFault("next() twice", failed, (ran) => ({
  method: "GET",
  path,
  handler: ran,
  middlewares: [
    (_: Context, next: Next) => {
      next();
      return next();
    },
  ],
}));

testFault("next() twice, the second time later", { status: 204, errors: 0 }, (ran) => ({
  method: "GET",
  path,
  handler: ran,
  middlewares: [
    (_: Context, next: Next) => {
      setImmediate(() => {
        try {
          next();
        } catch {
          // next() throws to its caller
        }
      });
      return next();
    },
  ],
}));

const returnOwn = (_: Context, next: Next): string => {
  void next();
  return "own";
};
for (const [kind, middleware] of Object.entries({
  "": returnOwn,
  ", asynchronously": async (ctx: Context, next: Next): Promise<string> => returnOwn(ctx, next),
})) {
  testFault(
    `a middleware that returns its own value${kind} while the handler rejects`,
    { status: 200, errors: 1 },
    (ran) => ({
      method: "GET",
      path,
      handler: async () => {
        ran();
        await turn();
        throw new Error("not awaited");
      },
      middlewares: [middleware],
    }),
  );
}

testFault("a middleware that catches the rejection of the handler", { status: 200, errors: 0 }, (ran) => ({
  method: "GET",
  path,
  handler: async () => {
    ran();
    await turn();
    throw new Error("awaited");
  },
  middlewares: [
    async (_: Context, next: Next) => {
      try {
        return await next();
      } catch {
        return "caught";
      }
    },
  ],
}));

testFault("a middleware that throws while the handler rejects", failed, (ran) => ({
  method: "GET",
  path,
  handler: async () => {
    ran();
    throw new Error("the handler's");
  },
  middlewares: [
    (_: Context, next: Next) => {
      void next();
      throw new Error("the middleware's");
    },
  ],
}));

testFault("a middleware that rejects after the handler returned", failed, (ran) => ({
  method: "GET",
  path,
  handler: () => {
    ran();
    return "fine";
  },
  middlewares: [
    async (_: Context, next: Next) => {
      await next();
      throw new Error("too late");
    },
  ],
}));

testFault("a handler that returns a value that JSON cannot represent", failed, (ran) => ({
  method: "GET",
  path,
  handler: () => {
    ran();
    return { big: 1n };
  },
}));

testFault("a hook that rejects", { status: 200, errors: 1 }, (ran) => ({
  method: "GET",
  path,
  handler: (ctx: Context) => {
    ctx.onReply(async () => {
      ran();
      await turn();
      throw new Error("too late");
    });
    return "x";
  },
}));

testFault("a thenable that throws", failed, (ran) => ({
  method: "GET",
  path,
  handler: () => {
    ran();
    return {
      // biome-ignore lint/suspicious/noThenProperty: an object with a broken then() is what is tested
      then() {
        throw new Error("broken");
      },
    };
  },
}));
