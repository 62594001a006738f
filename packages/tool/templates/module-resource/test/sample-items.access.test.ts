{% const usesSessions = guards.routes === "SessionAuth"; -%}
{% const refersToOthers = inputs.some(({ target }) => target && target !== "users"); -%}
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { {%= usesSessions ? "Sessions, sessionCookie" : "Tokens" %} } from "@tenon/auth";
import { api{%= split ? ", defineModule" : "" %} } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { createTestStores } from "@tenon/data/testing";
import { fuzzAccess } from "@tenon/fuzz";
{% const own = (role) => ({ name: `SampleItems${role}`, path: `../src/sample-items/sample-items.${role.toLowerCase()}.ts` }); -%}
{% const users = { name: "UsersService", path: "../src/users/users.service.ts" }; -%}
{%= importAll([...(split ? [...testModules, own("Controller"), ...referredControllers] : []), own("Module"), users]) %}{% if (refersToOthers) { -%}
import { createReferences } from "./support/sample-items.references.ts";
{% } -%}

/** New for this run: in memory, or on the servers of TEST_STORES. */
const stores = await createTestStores(process.env.TEST_STORES);
const config = { ...stores.config, bcryptCost: 10 };
{% if (split) { -%}
const TestModule = defineModule({ name: "test", imports: [{%= testModules.map(({ name }) => name).join(", ") %}, SampleItemsModule], declarations: [{%= ["SampleItemsController", ...referredControllers.map(({ name }) => name)].join(", ") %}] });
{% } -%}
const app = await createTestApp({%= split ? "Test" : "SampleItems" %}Module, api(), { config });
after(() => stores.stop(app));
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
