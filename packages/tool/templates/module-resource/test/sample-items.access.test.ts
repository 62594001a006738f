{% const usesSessions = guards.routes === "SessionAuth"; -%}
{% const refersToOthers = inputs.some(({ target }) => target && target !== "users"); -%}
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { {%= usesSessions ? "Sessions, sessionCookie" : "Tokens" %} } from "@tenon/auth";
import { api } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { fuzzAccess } from "@tenon/fuzz";
import { SampleItemsModule } from "../src/sample-items/sample-items.module.ts";
import { UsersService } from "../src/users/users.service.ts";
{% if (refersToOthers) { -%}
import { createReferences } from "./support/sample-items.references.ts";
{% } -%}

/** The stores are in memory, so that tests never see the data of another run. */
const config = { databaseUrl: "sqlite::memory:", redisUrl: undefined, bcryptCost: 10 };
const app = await createTestApp(SampleItemsModule, api(), { config });
after(() => app.stop());
{% if (refersToOthers) { -%}
await createReferences(app);
{% } -%}

/** The header of a new user. */
async function register(email: string) {
  const user = (await app.get(UsersService).register({ email, password: "correct horse" })) ?? assert.fail();
{% if (usesSessions) { -%}
  return { cookie: `${sessionCookie}=${await app.get(Sessions).create(user.id)}` };
{% } else { -%}
  return { authorization: `Bearer ${await app.get(Tokens).issue(user)}` };
{% } -%}
}

test("gives users no way to the sample items of others", async () => {
  const as = { alice: await register("alice@example.com"), bob: await register("bob@example.com"), guest: null };
{% if (refersToOthers) { -%}
  // what other resources show is theirs to test
  const operations = Object.values((await app.openapi()).paths).flatMap((path) => Object.values(path));
  const ids = operations.flatMap(({ operationId }) => operationId ?? []);
  const shared = ids.filter((id) => !id.startsWith("sampleItems."));
  const { reached } = await fuzzAccess(app, { as, shared });
{% } else { -%}
  const { reached } = await fuzzAccess(app, { as });
{% } -%}
  assert.ok(reached.includes("sampleItems.show"));
});
