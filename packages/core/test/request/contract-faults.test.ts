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
import { startError } from "../support/start-error.ts";
import { moduleOf } from "../support/transports.ts";

const refused: readonly object[] = [
  { sumary: "x" },
  { responds: { header: {} } },
  { query: {} },
  { body: 5 },
  { body: { form: Post, content: "text/csv" } },
  { body: { optional: { optional: Post } } },
  { headers: dto({ "X-A": string() }) },
  { returns: null },
  { returns: { 404: Post } },
  { returns: { optional: Post } },
  { returns: { 200: "x" } },
  { returns: { 204: Post } },
  { errors: { 200: "x" } },
  { errors: { 404: [] } },
  { errors: { 404: 5 } },
  { params: dto({ other: string("required") }) },
  { body: CreatePost },
];
for (const contract of refused) {
  test(`a contract stops the start: ${Object.entries(contract).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)}`, async () => {
    const handler = endpoint(contract as Contract, () => ""); // as plain JavaScript might pass it
    const { problems } = await startError(moduleOf([{ method: "GET", path: "/", handler: handler as never }]));
    assert.deepEqual(
      problems.map(({ code }) => code),
      ["BAD_CONTRACT"],
    );
  });
}

const unsendable: readonly [contract: Contract, cure: string][] = [
  [{ query: dto({ n: nested(Post) }) }, "in its query, where no client can send an object. Use json()"],
  [{ query: dto({ n: array(Post) }) }, "in its query, where no client can send an object. Use json()"],
  [{ body: { form: dto({ n: record(string()) }) } }, "in its form, where no client can send an object. Use json()"],
  [{ body: { optional: { form: dto({ n: union("k", { a: dto({}) }, "nullable") }) } } }, "in its form"],
  [{ body: dto({ n: file() }) }, "in its JSON body, where no client can send a file. Use body: { form: … }."],
];
for (const [contract, cure] of unsendable) {
  test(`what no request can have stops the start: "n" ${cure}`, async () => {
    const handler = endpoint(contract, () => "");
    const { problems } = await startError(moduleOf([{ method: "POST", path: "/", handler: handler as never }]));
    assert.deepEqual(
      problems.map(({ message }) => message.includes(`declares "n" ${cure}`)),
      [true],
    );
  });
}

test("every form of a body is accepted", async () => {
  const bodies: Contract["body"][] = [
    CreatePost,
    { form: CreatePost },
    { content: "text/csv" },
    { optional: { content: ["text/csv"] } },
  ];
  for (const body of bodies) {
    const handler = endpoint({ body } as Contract, () => "");
    await createTestApp(moduleOf([{ method: "POST", path: "/", handler: handler as never }]), api());
  }
});

test("the contract of a middleware is checked at start", async () => {
  for (const contract of [{ eror: {} }, { errors: { 200: "x" } }]) {
    const guard = Object.assign((_: Context, next: () => unknown) => next(), { contract });
    const middlewares = [guard as never]; // as plain JavaScript might pass it
    const { problems } = await startError(moduleOf([{ method: "GET", path: "/", handler: () => "", middlewares }]));
    assert.equal(problems[0]?.code, "BAD_CONTRACT");
  }
});
