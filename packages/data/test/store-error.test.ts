import assert from "node:assert/strict";
import { test } from "node:test";
import { api, defineModule, dto, HttpError, route, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { StoreError } from "@tenon/data";

const codes = [
  ["UNAVAILABLE", 503, "store unavailable", "1"],
  ["FAILED", 500, "store failure", null],
  ["CONSTRAINT", 500, "constraint violation", null],
  ["NOT_FOUND", 500, "record not found", null],
] as const;

for (const [code, status, error, retryAfter] of codes) {
  test(`${code} is a ${status} for clients, in an endpoint that declares other errors too`, async () => {
    const contract = { body: dto({ name: string() }), errors: { 503: "Service Unavailable" } } as const;
    const fail = () => {
      throw new StoreError(code, { cause: new Error("ECONNREFUSED 10.0.0.1") });
    };
    class NotesController {
      readonly show = route.get("/notes", fail);
      readonly create = route.post("/notes", contract, fail);

      routes() {
        return [this.show, this.create];
      }
    }
    const notes = defineModule({ name: "notes", declarations: [NotesController] });
    const app = await createTestApp(notes, api({ errors: "plain" }));
    for (const method of ["GET", "POST"] as const) {
      const reply = await app.request(method, "/notes", method === "POST" ? { json: {} } : {});
      assert.deepEqual([reply.status, await reply.json()], [status, { error }]);
      assert.equal(reply.headers.get("retry-after"), retryAfter);
    }
    await app.stop();
  });
}

test("the driver's error is the cause", () => {
  const cause = new Error("ECONNREFUSED 10.0.0.1");
  const error = new StoreError("UNAVAILABLE", { cause });
  assert.ok(error instanceof HttpError);
  assert.equal(error.cause, cause);
});
