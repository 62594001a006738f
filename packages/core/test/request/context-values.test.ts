import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import type { Context, Next, Routes } from "@tenon/core";
import type { Handler } from "../../src/request/handler.ts";
import type { ParamNames } from "../../src/support/pattern.ts";
import { testOnBothTransports } from "../support/transports.ts";
import type { Equal, Expect } from "../support/types.ts";

declare module "@tenon/core" {
  interface ContextValues {
    /** Only for the tests below. */
    test_account: { readonly name: string };
  }
}

testOnBothTransports(
  "values of interleaved requests stay separate (K18, Hono fab3b136)",
  [
    {
      method: "GET",
      path: "/:name",
      middlewares: [
        async (ctx: Context, next: Next) => {
          ctx.set("test_account", { name: ctx.param("name") });
          ctx.response().setHeader("x-name", ctx.param("name"));
          await turn();
          return next();
        },
      ],
      handler: async (ctx) => {
        const before = ctx.get("test_account").name;
        await turn();
        ctx.set(before, before);
        await turn();
        return [before, ctx.get("test_account").name, ctx.get(before), ctx.get("first") ?? ctx.get("second"), ctx.id];
      },
    },
  ],
  async (call) => {
    for (let round = 0; round < 20; round++) {
      const names = ["first", "second", "third", "fourth"];
      const responses = await Promise.all(names.map((name) => call("GET", `/${name}`)));
      const bodies = await Promise.all(responses.map(async (response) => (await response.json()) as string[])); // see above
      for (const [index, name] of names.entries()) {
        assert.deepEqual(bodies[index]?.slice(0, 4), [name, name, name, index < 2 ? name : null]);
        assert.equal(responses[index]?.headers.get("x-name"), name);
      }
      assert.equal(new Set(bodies.map((body) => body[4])).size, names.length, "each has its own id");
    }
  },
);

// The compiler checks the rest: `npm run types` fails when one of these lines is wrong.

export type ParamChecks = [
  Expect<Equal<ParamNames<"/posts/:id">, "id">>,
  Expect<Equal<ParamNames<"/users/:user/posts/:post">, "user" | "post">>,
  Expect<Equal<ParamNames<"/files/:bucket/*">, "bucket" | "*">>,
  Expect<Equal<ParamNames<"/posts">, never>>,
  Expect<Equal<ParamNames<string>, string>>,
];

export class TypedController {
  routes(): Routes {
    return [
      { method: "GET", path: "/posts/:id", handler: this.show },
      { method: "GET", path: "/files/*", handler: this.file },
      { method: "GET", path: "/any", handler: this.any },
      // @ts-expect-error a handler takes the context and nothing else
      { method: "GET", path: "/number", handler: this.number },
      // @ts-expect-error PURGE is not a method of the specification
      { method: "PURGE", path: "/posts", handler: this.any },
      // @ts-expect-error the field is called "middlewares": a guard under another name would not run
      { method: "GET", path: "/typo", handler: this.any, middleware: [] },
    ];
  }

  show(ctx: Context<"/posts/:id">) {
    // @ts-expect-error the path has no parameter of that name
    ctx.param("slug");
    return ctx.param("id");
  }

  file(ctx: Context<"/files/*">) {
    // @ts-expect-error a wildcard is read as "*"
    ctx.param("path");
    return ctx.param("*");
  }

  any(ctx: Context) {
    return ctx.param("anything");
  }

  number(count: number) {
    return count;
  }
}

export const valueTypes: Handler = (ctx) => {
  const account: { readonly name: string } = ctx.get("test_account");
  const unknownValue: unknown = ctx.get("undeclared");
  ctx.set("undeclared", 1);
  // @ts-expect-error a declared value has its declared type
  ctx.set("test_account", "a string");
  // @ts-expect-error the same for setValue
  ctx.setValue("test_account", { title: "x" });
  // @ts-expect-error an undeclared value is unknown until it is checked
  const text: string = ctx.get("undeclared");
  return [account, unknownValue, text];
};
