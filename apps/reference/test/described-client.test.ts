import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, defineModule, dto, endpoint, HttpError, integer, type Routes } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { DescribedClient } from "./support/described-client.ts";

const Count = dto("Count", { count: integer("required", "max=10") });

/** Every response breaks its contract, except those of `/right`. */
class BrokenController {
  routes(): Routes {
    return [
      { method: "GET", path: "/right/:count", handler: this.right },
      { method: "GET", path: "/body", handler: this.body },
      { method: "GET", path: "/status", handler: this.status },
      { method: "GET", path: "/message", handler: this.message },
    ];
  }

  readonly right = endpoint({ returns: Count, errors: { 404: "No such count" } }, (ctx) => {
    const count = Number(ctx.param("count"));
    return Number.isNaN(count) ? ctx.fail(404) : { count };
  });
  readonly body = endpoint({ returns: Count }, () => ({ count: 11 }));
  readonly status = endpoint({ returns: Count }, () => {
    throw new Error("a bug");
  });
  readonly message = endpoint({ returns: Count, errors: { 404: "No such count" } }, () => {
    throw new HttpError(404, "another message");
  });
}

const module = defineModule({ name: "broken", declarations: [BrokenController] });
const app = await createTestApp(module, api(), { checkContracts: false });
let client: DescribedClient;
before(async () => {
  const { url } = await app.listen({ port: 0, signals: false });
  client = new DescribedClient(url, () => app.openapi());
});
after(() => app.stop());

test("passes responses that the document declares, and those that no route handles", async () => {
  assert.deepEqual((await client.get("/right/7?any=1")).body, { count: 7 });
  assert.equal((await client.get("/right/none")).status, 404);
  assert.equal((await client.call("HEAD", "/right/7")).status, 200);
  assert.equal((await client.get("/right/%00")).status, 400);
  assert.equal((await client.get("/unknown")).status, 404);
});

for (const [path, message] of [
  ["/body", /GET \/body responds with 200 and a body that is not as declared: data\/count must be <= 10/],
  ["/status", /GET \/status responds with 500, which is not declared/],
  ["/message", /GET \/message responds with 404 and a body that is not as declared: data\/error/],
] as const) {
  test(`throws for a response of ${path} that the document does not declare`, async () => {
    await assert.rejects(client.get(path), message);
  });
}

test("reads the document again when routes were added", async () => {
  await assert.rejects(client.get("/right/11"), /must be <= 10/);
  app.routes.add({ method: "GET", path: "/right/11", handler: () => ["anything"] });
  assert.deepEqual((await client.get("/right/11")).body, ["anything"]);
});
