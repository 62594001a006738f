import assert from "node:assert/strict";
import { test } from "node:test";
import { Accounts } from "@tenon/accounts";
import { Sessions } from "@tenon/auth";
import { fuzzContract } from "@tenon/fuzz";
import { withHttp } from "./support/http-app.ts";

test("every response of the account endpoints to generated requests is as declared", () =>
  withHttp("api", async ({ app, addUser }) => {
    const sessions = app.get(Sessions);
    await addUser("ada");
    await app.get(Accounts).verifyAs("system", "ada");
    const report = await fuzzContract(app, {
      requests: 600,
      // most accept only what a mail, a phone or the user knows; "delete" would end the user of all others
      skip: [
        "verify",
        "reset",
        "confirmEmailChange",
        "confirmSecondFactor",
        "changePassword",
        "confirm",
        "delete",
        "renewRecoveryCodes",
      ].map((name) => `accounts.${name}`),
      params: async () => ({ id: sessions.idOf(await sessions.create("ada")) }),
      // a new session each time: some of the endpoints end them
      headers: async () => ({ cookie: `session_id=${await sessions.create("ada")}` }),
    });
    assert.ok(report.requests >= 600);
    assert.ok(Object.keys(report.statuses).length > 8, JSON.stringify(report.statuses));
  }));
