import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  array,
  type Context,
  type Contract,
  dto,
  endpoint,
  file,
  nested,
  record,
  string,
  union,
} from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { CreatePost, Post } from "../support/post-schemas.ts";
import { moduleOf } from "../support/transports.ts";

const faults: readonly [contract: object, text: string][] = [
  [{ sumary: "x" }, "has an unknown key: sumary (did you mean summary?)"],
  [{ summary: 5 }, "has the number 5 as its summary."],
  [{ operationId: "posts show" }, 'has the text "posts show" as its operationId. Write words with dots,'],
  [{ responds: { header: {} } }, "has an unknown key in `responds`: header (did you mean headers?)"],
  [{ tags: [""] }, "has a list as its tags. Write a list of names."],
  [{ deprecated: "yes" }, "has a `deprecated` that is not a boolean."],
  [{ public: 1 }, "has a `public` that is not a boolean."],
  [{ hidden: 1 }, "has a `hidden` that is not a boolean."],
  [{ query: {} }, "has an object as its query. Use dto({ … }) or another schema."],
  [{ params: dto({ other: string("required") }) }, 'declares the parameter "other", which the path does not have.'],
  [{ params: dto({}) }, 'has `params` without "id", which is in the path.'],
  [{ headers: dto({ "X-A": string() }) }, 'declares the header "X-A". Write it in lower case: "x-a".'],
  [{ body: CreatePost }, "declares a body, which a GET request does not have. Use `query`."],
  [{ body: 5 }, "has the number 5 as its body."],
  [{ returns: { 404: Post } }, 'returns "404". It takes a status from 200 to 399.'],
  [{ returns: { 200: "x" } }, 'returns the text "x" with 200.'],
  [{ returns: { 204: Post } }, "declares a body for 204, which has none. Write 204: null."],
  [{ returns: null }, "returns null. Use a schema, schemas by status, or { 204: null } for no body."],
  [{ returns: { optional: Post } }, 'returns "optional". It takes a status from 200 to 399.'],
  [{ body: { form: Post, content: "text/csv" } }, "has an object as its body. Use dto({ … }), another schema,"],
  [{ body: { optional: { optional: Post } } }, "has an object as its body."],
  [{ query: dto({ n: nested(Post) }) }, 'declares "n" in its query, where no client can send an object.'],
  [{ query: dto({ n: array(Post) }) }, 'declares "n" in its query, where no client can send objects.'],
  [{ body: { form: dto({ n: nested(Post) }) } }, 'declares "n" in its form, where no client can send an object.'],
  [{ body: { form: dto({ n: array(Post) }) } }, 'declares "n" in its form, where no client can send objects.'],
  [{ body: { form: dto({ n: record(string()) }) } }, 'declares "n" in its form, where no client can send an object.'],
  [
    { body: { optional: { form: dto({ n: union("k", { a: dto({}) }, "nullable") }) } } },
    'declares "n" in its form, where no client can send an object.',
  ],
  [
    { body: { form: union("k", { a: dto({}), b: dto({ n: nested(Post) }) }) } },
    'declares "n" in its form, where no client can send an object.',
  ],
  [{ body: { form: dto({ f: file("stream") }) } }, 'streams "f" without a limit. Add "max=" with a number of bytes.'],
  [
    { body: { form: dto({ f: file("stream", "max=9"), more: array(file()) }) } },
    'streams "f" and declares another file. A form with a streamed file has no other.',
  ],
  [
    { body: { optional: { form: dto({ f: file("stream", "max=9") }) } } },
    'streams "f" in a form that may be absent. Write body: { form: … }.',
  ],
  [
    { body: dto({ f: file() }) },
    'declares "f" in its JSON body, where no client can send a file. Use body: { form: … }.',
  ],
  [
    { body: { content: "image/*" } },
    'has { content: "image/*" } as its body. Name a whole media type, such as "text/csv".',
  ],
  [{ errors: { 200: "x" } }, 'declares the error "200". It takes a status from 400 to 599.'],
  [{ errors: { 404: [] } }, "declares a list for the error 404."],
];

for (const [contract, text] of faults) {
  test(`a contract stops the start: ${text}`, async () => {
    const handler = endpoint(contract as Contract, () => ""); // as plain JavaScript might pass it
    const start = createTestApp(moduleOf([{ method: "GET", path: "/posts/:id", handler: handler as never }]), api());
    await assert.rejects(start, (error: Error) => {
      assert.ok(
        error.message.includes(`The contract of GET /posts/:id of TestController (module "test") ${text}`),
        error.message,
      );
      return true;
    });
  });
}

test("the contract of a middleware is checked at start", async () => {
  for (const [contract, text] of [
    [{ eror: {} }, "has an unknown key: eror (did you mean errors?)"],
    [{ security: { "a b": { type: "http" } } }, 'declares the security scheme "a b".'],
    [{ errors: { 200: "x" } }, 'declares the error "200". It takes a status from 400 to 599.'],
  ] as const) {
    const guard = Object.assign((_: Context, next: () => unknown) => next(), { contract });
    const middlewares = [guard as never]; // as plain JavaScript might pass it
    const start = createTestApp(moduleOf([{ method: "GET", path: "/", handler: () => "", middlewares }]), api());
    await assert.rejects(start, (error: Error) => {
      assert.ok(
        error.message.startsWith(`The contract of the middleware`) && error.message.includes(text),
        error.message,
      );
      return true;
    });
  }
});
