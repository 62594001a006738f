import assert from "node:assert/strict";
import { test } from "node:test";
import type { Routes } from "@tenon/core";
import { type JobRecord, Jobs } from "@tenon/jobs";
import { Mailer, mail } from "@tenon/mail";
import { sentMails } from "@tenon/mail/testing";
import { LogLines } from "../../core/test/support/log-lines.ts";
import { type MailApp, ResetPassword, token, withMailApp } from "./support/mail-app.ts";

const to = { address: "ada@example.com" };
const link = `https://example.com/reset?token=${token}`;

const wrong: readonly (readonly [what: string, value: unknown, error: RegExp])[] = [
  ["data without a field", { to, data: { name: "Ada" } }, /: the data of its views is invalid: link is required/],
  ["a field of another type", { to, data: { name: 7, link } }, /: the data of its views is invalid: name /],
  ["no data", { to, link }, /: the composer returned an object\. Return \{ to, data \}/],
  ["a name beside an address in one text", { to: "Ada <ada@example.com>", data: { link } }, /: the address is invalid/],
  ["an address that is neither a text nor an object", { to: 7, data: { link } }, /: the address is invalid/],
  [
    "CRLF in a subject made from data",
    { to, data: { name: "A\r\nBcc: b@c.de", link } },
    /: the subject is not one line/,
  ],
];

test("what a composer may not return ends the job, with an error that names the mistake and quotes nothing", async () => {
  let composed: unknown;
  class Composer {
    routes(): Routes {
      return [mail(ResetPassword, () => composed as never)]; // as from JavaScript
    }
  }
  const log = new LogLines();
  const run = async (app: MailApp): Promise<JobRecord> => {
    const id = await app.get(Mailer).send(ResetPassword, { user_id: "1" });
    await app.jobs.drain({ allowFailures: true });
    return (await app.get(Jobs).find(id)) ?? assert.fail("there is no job");
  };
  await withMailApp(
    {},
    async (app) => {
      for (const [what, value, error] of wrong) {
        composed = value;
        const job = await run(app);
        assert.deepEqual([job.state, job.attempt], ["dead", 1], what);
        assert.match(job.error ?? "", new RegExp(`^UnrecoverableError: mail/reset-password${error.source}`), what);
        assert.ok(!JSON.stringify(job).includes(token), what);
      }
      assert.deepEqual(await sentMails(app), []);
    },
    { declarations: [Composer], log: log.options },
  );
  assert.equal(log.messages("error").length, wrong.length);
  assert.ok(!JSON.stringify(log.all).includes(token));
});

test("a recipient may be a text", async () => {
  class Composer {
    routes(): Routes {
      return [mail(ResetPassword, () => ({ to: "ada@example.com", data: { name: "Ada", link } }))];
    }
  }
  await withMailApp(
    {},
    async (app) => {
      await app.get(Mailer).send(ResetPassword, { user_id: "1" });
      assert.deepEqual(
        (await sentMails(app)).map((sent) => sent.to),
        [to],
      );
    },
    { declarations: [Composer] },
  );
});
