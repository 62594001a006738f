import assert from "node:assert/strict";
import { test } from "node:test";
import { api, array, type Context, type Contract, dto, endpoint, file, nested, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { CreatePost, Post } from "../support/post-schemas.ts";
import { startError } from "../support/start-error.ts";
import { moduleOf } from "../support/transports.ts";

const refused: readonly object[] = [
  { sumary: "x" },
  { responds: { header: {} } },
  { body: { fom: Post } },
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
];
for (const contract of refused) {
  test(`a contract stops the start: ${Object.entries(contract).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)}`, async () => {
    const handler = endpoint(contract as Contract, () => ""); // as plain JavaScript might pass it
    const { problems } = await startError(moduleOf([{ method: "POST", path: "/", handler: handler as never }]));
    assert.deepEqual(
      problems.map(({ code }) => code),
      ["BAD_CONTRACT"],
    );
  });
}

const unsendable: readonly [method: "GET" | "POST", contract: Contract, says: string][] = [
  ["GET", { body: CreatePost }, "declares a body, which a GET request does not have"],
  ["POST", { body: dto({ n: file() }) }, "in its JSON body, where no client can send a file. Use body: { form: … }."],
  ["GET", { query: dto({ n: nested(Post) }) }, "in its query, where no client can send an object. Use json()"],
  ["GET", { query: dto({ n: array(Post) }) }, "in its query, where no client can send an object. Use json()"],
  ["POST", { body: { form: dto({ n: nested(Post) }) } }, "in its form, where no client can send an object. Use json()"],
];
for (const [method, contract, says] of unsendable) {
  test(`what no request can have stops the start, with its cure: ${says}`, async () => {
    const handler = endpoint(contract, () => "");
    const error = await startError(moduleOf([{ method, path: "/", handler: handler as never }]));
    assert.equal(error.problems[0]?.code, "BAD_CONTRACT");
    assert.ok(error.message.includes(says), error.message);
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
