import assert from "node:assert/strict";
import { test } from "node:test";
import { Accounts } from "@tenon/accounts";
import { SecondFactor, Sessions } from "@tenon/auth";
import { fuzzContract } from "@tenon/fuzz";
import { enableFactor } from "../../auth/test/support/authenticator.ts";
import { isSecured } from "../../core/src/boot/conflict.ts";
import { policiesOf } from "../../core/src/contract.ts";
import { assertValid } from "../../core/test/openapi/lint.ts";
import { auditRoutes } from "../../tool/src/inspect/route-audit.ts";
import { withHttp } from "./support/http-app.ts";

/** No generated token is one of a mail: every request is rejected. */
const byMail = ["accounts.verify", "accounts.reset", "accounts.confirmEmailChange"];
/** No generated password or code is the right one: rejected, and then there were too many. */
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
    for (const id of bySecret) await addVerified(id);
    await factor.begin("accounts.confirmSecondFactor", "ada@example.com");
    let users = 0;
    /** A new user each time, whom the request may delete, but one whose failures are counted. */
    const userFor = async ({ id }: { readonly id: string }) => {
      if (bySecret.includes(id)) return id;
      const user = `user-${++users}`;
      await addVerified(user);
      if (withFactor.includes(id)) await enableFactor(factor, user, () => clock.now());
      return user;
    };
    let owner: string | undefined;
    const { requests, statuses } = await fuzzContract(app, {
      requests: 600,
      skip: byMail,
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
      const expected = bySecret.includes(id) ? [429] : [200, 202, 204];
      assert.ok(
        expected.some((status) => (counts[status] ?? 0) > 0),
        `${id}: ${JSON.stringify(counts)}`,
      );
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
    const routes = app.routes.list().map(({ module: _, ...route }) => ({
      ...route,
      method: route.method ?? assert.fail("an API has no commands"),
      declared: route.contract !== undefined,
      public: route.contract?.public === true,
      secured: isSecured(route),
      policies: policiesOf(route),
    }));
    assert.equal(routes.filter(({ controller }) => controller === "AccountsController").length, 17);
    assert.deepEqual(auditRoutes(routes), []);
    const open = routes.filter((route) => route.public).map(({ handler }) => handler);
    assert.deepEqual(open, ["requestReset", "reset", "open"]);
  }));
