import { test } from "node:test";
import { array, dto, endpoint, string } from "@tenon/core";
import { CreatePost, find, PageQuery, Post, row } from "../support/post-schemas.ts";

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
