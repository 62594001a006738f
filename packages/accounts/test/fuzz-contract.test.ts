import assert from "node:assert/strict";
import { test } from "node:test";
import { Accounts } from "@tenon/accounts";
import { SecondFactor, Sessions } from "@tenon/auth";
import { fuzzContract } from "@tenon/fuzz";
import { Authenticator, enableFactor } from "../../auth/test/support/authenticator.ts";
import { assertValid } from "../../core/test/openapi/lint.ts";
import { uncoveredParamsOf } from "../../devtools/src/uncovered-params.ts";
import { auditRoutes, listOpenWrites } from "../../tool/src/inspect/route-audit.ts";
import { password } from "./support/accounts-app.ts";
import { withHttp } from "./support/http-app.ts";

/** No generated token is one of a mail: every request is rejected. */
const byMail = ["accounts.verify", "accounts.reset", "accounts.confirmEmailChange"];
/** Only the example has the right password or code: other requests are rejected, and then there were too many. */
const bySecret = ["accounts.confirm", "accounts.changePassword", "accounts.confirmSecondFactor"];
const withFactor = ["accounts.renewRecoveryCodes", "accounts.disableSecondFactor"];

test("every response of the account endpoints to generated requests is as declared", () =>
  withHttp("api", async ({ app, addUser, clock }) => {
    const sessions = app.get(Sessions);
    const factor = app.get(SecondFactor);
    const addVerified = async (id: string) => {
      await addUser(id);
      await app.get(Accounts).verifyAs("system", id);
    };
    for (const id of [...bySecret, "enabling"]) await addVerified(id);
    await factor.begin("accounts.confirmSecondFactor", "ada@example.com");
    const { secret } = await factor.begin("enabling", "ada@example.com");
    const phone = new Authenticator(secret, () => clock.now());
    const enabling = ["enabling"]; // by the example, once
    let users = 0;
    /** A new user each time, whom the request may delete, but one whose failures are counted. */
    const userFor = async ({ id }: { readonly id: string }) => {
      if (bySecret.includes(id)) return id === "accounts.confirmSecondFactor" ? (enabling.pop() ?? id) : id;
      const user = `user-${++users}`;
      await addVerified(user);
      if (withFactor.includes(id)) await enableFactor(factor, user, () => clock.now());
      return user;
    };
    let owner: string | undefined;
    const { requests, statuses } = await fuzzContract(app, {
      requests: 600,
      skip: byMail,
      examples: {
        "accounts.changePassword": { body: { password, new_password: "a longer horse" } },
        "accounts.confirm": { body: { password } },
        "accounts.confirmSecondFactor": { body: { code: phone.code() } },
      },
      params: async (operation) => {
        owner = await userFor(operation);
        return { id: sessions.idOf(await sessions.create(owner)) };
      },
      headers: async (operation) => {
        const user = owner ?? (await userFor(operation));
        owner = undefined;
        return { cookie: `session_id=${await sessions.create(user)}` };
      },
    });
    assert.ok(requests >= 600);
    assert.equal(Object.keys(statuses).length, 15); // with login.open
    for (const [id, counts] of Object.entries(statuses)) {
      const accepted = [200, 202, 204].some((status) => (counts[status] ?? 0) > 0);
      assert.ok(accepted && (!bySecret.includes(id) || 429 in counts), `${id}: ${JSON.stringify(counts)}`);
    }
    await addUser("ada");
    const headers = async () => ({ cookie: `session_id=${await sessions.create("ada")}` }); // for a verification
    for (const id of byMail) {
      // it reports a response that is not as declared before this
      const rejected = `no generated request to ${id} was accepted: every response was 400.`;
      await assert.rejects(fuzzContract(app, { requests: 40, only: [id], headers }), ({ message }: Error) => {
        assert.ok(message.includes(rejected), message);
        return true;
      });
    }
  }));

test("the OpenAPI document is valid, and the audit of routes finds nothing", () =>
  withHttp("api", async ({ app }) => {
    await assertValid(await app.openapi());
    const routes = app.routes.list().map(({ module: _, operationId: _id, ...route }) => ({
      ...route,
      method: route.method ?? assert.fail("an API has no commands"),
      declared: route.contract !== undefined,
      ...(route.contract?.access && { access: route.contract.access }),
      policies: route.middlewareContracts.flatMap(({ policy }) => policy ?? []),
      uncovered: uncoveredParamsOf(route),
    }));
    assert.equal(routes.filter(({ controller }) => controller === "AccountsController").length, 17);
    assert.deepEqual(auditRoutes(routes), []);
    const open = listOpenWrites(routes).map(({ handler }) => handler);
    assert.deepEqual(open, ["AccountsController.requestReset", "AccountsController.reset", "Login.open"]);
  }));
