import assert from "node:assert/strict";
import { after, test } from "node:test";
import { api, array, defineModule, dto, endpoint, type Routes, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { callOf, importClient } from "../../support/library-server.ts";

class ThingsController {
  routes(): Routes {
    return [{ method: "GET", path: "/files/*", handler: this.files }];
  }

  readonly files = endpoint({ returns: dto({ rest: array(string()) }) }, (ctx) => ({ rest: [...ctx.rest()] }));
}

/** A Tenon application on a port, called by the client of its own document. */
const app = await createTestApp(defineModule({ name: "things", declarations: [ThingsController] }), api());
const { port } = await app.listen({ port: 0, host: "127.0.0.1", signals: false });
after(() => app.stop());
const module = await importClient(await app.openapi());
const client = module.createClient({ baseUrl: `http://127.0.0.1:${port}` });

test("the rest of a path reaches a Tenon application segment by segment", async () => {
  const restOf = (path: unknown) => callOf(client, "things.files").orThrow({ path });
  assert.deepEqual(await restOf("a/b"), { rest: ["a", "b"] });
  assert.deepEqual(await restOf("a b"), { rest: ["a b"] });
  assert.deepEqual(await restOf(["a/b", "c"]), { rest: ["a/b", "c"] });
});
