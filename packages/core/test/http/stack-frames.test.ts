import assert from "node:assert/strict";
import type { Context, Next } from "@tenon/core";
import { testOnWire } from "../support/wire.ts";

let stack = "";

class Guard {
  handle(_: Context, next: Next) {
    return next();
  }
}

testOnWire(
  "the stack from the socket to a handler with one middleware has at most 8 frames of the framework",
  [
    {
      method: "GET",
      path: "/users/:id",
      handler: () => {
        const { stackTraceLimit } = Error;
        Error.stackTraceLimit = 100;
        stack = new Error("here").stack ?? "";
        Error.stackTraceLimit = stackTraceLimit;
        return "ok";
      },
      middlewares: [new Guard()],
    },
  ],
  async ({ send }) => {
    await send("GET /users/1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const frames = stack.split("\n").slice(1);
    const own = frames.filter((frame) => frame.includes("/packages/core/src/"));
    assert.ok(
      frames.some((frame) => /node:(?:_http_server|internal\/stream_base_commons)/.test(frame)),
      "the stack does not reach the socket",
    );
    assert.ok(own.length > 0 && own.length <= 8, own.join("\n"));
  },
  { middlewares: [] },
);
