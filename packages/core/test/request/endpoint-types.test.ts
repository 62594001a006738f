import { test } from "node:test";
import { array, type Context, dto, endpoint, type Routes, string } from "@tenon/core";
import type { Handler } from "../../src/request/handler.ts";
import type { ParamNames } from "../../src/support/pattern.ts";
import { CreatePost, find, PageQuery, Post, row } from "../support/post-schemas.ts";
import type { Equal, Expect } from "../support/types.ts";

declare module "@tenon/core" {
  interface ContextValues {
    /** Only for the tests below. */
    test_account: { readonly name: string };
  }
}

test("a result that does not match its declaration does not compile", () => {
  endpoint({ returns: array(Post) }, async () => [row]);
  endpoint({ returns: Post }, () => ({ id: "1", title: "x", kind: "note" }));
  endpoint({ returns: Post }, async () => ({ id: "1", title: "x", kind: "note" }));
  // @ts-expect-error a field is missing
  endpoint({ returns: Post }, async () => ({ id: "1", title: "x" }));
  // @ts-expect-error a literal that the schema does not have
  endpoint({ returns: Post }, async () => ({ id: "1", title: "x", kind: "letter" }));
  // @ts-expect-error it may be undefined
  endpoint({ returns: Post }, () => find("1"));
  endpoint({ returns: { 200: Post, 204: null } }, () => find("1"));
  endpoint({ returns: { 204: null } }, async () => {
    await find("1");
  });
  // @ts-expect-error a list instead of one
  endpoint({ returns: Post }, async () => [row]);
});

test("a status that is not declared does not compile", () => {
  const Job = dto({ job: string("required") });
  endpoint({ returns: { 200: Post, 202: Job } }, async (ctx) =>
    ctx.method === "POST" ? ctx.status(202).json({ job: "1" }) : row,
  );
  // @ts-expect-error 202 has another body
  endpoint({ returns: { 200: Post, 202: Job } }, async (ctx) => ctx.status(202).json(row));
  // @ts-expect-error 201 is not declared
  endpoint({ returns: Post }, async (ctx) => ctx.status(201).json(row));
  endpoint({ returns: Post, errors: { 404: "Post not found" } }, async (ctx) => (await find("1")) ?? ctx.fail(404));
  // @ts-expect-error 409 is not declared
  endpoint({ returns: Post, errors: { 404: "Post not found" } }, async (ctx) => ctx.fail(409));
  // @ts-expect-error no error is declared
  endpoint({ returns: Post }, async (ctx) => ctx.fail(404));
  // @ts-expect-error of several messages one is named
  endpoint({ returns: Post, errors: { 409: ["Taken", "Locked"] } }, async (ctx) => ctx.fail(409));
  endpoint({ returns: Post, errors: { 409: ["Taken", "Locked"] } }, async (ctx) => ctx.fail(409, "Locked"));
  // @ts-expect-error a message that is not declared
  endpoint({ returns: Post, errors: { 409: ["Taken", "Locked"] } }, async (ctx) => ctx.fail(409, "Gone"));
});

test("the input has the declared parts, with their types", () => {
  endpoint({ query: PageQuery, body: CreatePost }, (_, { query, body }) => {
    const limit: number | undefined = query.limit;
    const title: string = body.title;
    return [limit, title];
  });
  endpoint({ body: { optional: CreatePost } }, (_, { body }) => {
    // @ts-expect-error it may be absent
    return body.title;
  });
  // @ts-expect-error the contract has no query
  endpoint({ body: CreatePost }, (_, { query }) => query);
});

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
