import assert from "node:assert/strict";
import { test } from "node:test";
import { Jobs } from "@tenon/jobs";
import { Mailer } from "@tenon/mail";
import { sentMails } from "@tenon/mail/testing";
import { LogLines } from "../../core/test/support/log-lines.ts";
import { ResetPassword, token, users, withMailApp } from "./support/mail-app.ts";

test("a mail is sent by a job: both views, the subject and the links", () =>
  withMailApp({}, async (app) => {
    users.set("1", { name: "Ada <b>", address: "ada@example.com" });
    await app.get(Mailer).send(ResetPassword, { user_id: "1" });
    const link = `https://example.com/reset?token=${token}&page=1`;
    const [mail, ...others] = await sentMails(app);
    assert.deepEqual(others, []);
    assert.deepEqual(mail?.to, { name: "Ada <b>", address: "ada@example.com" });
    assert.equal(mail.subject, "Ada <b>, reset your password");
    assert.match(mail.html, /^<p>Hello Ada &lt;b&gt;,<\/p>\n/);
    assert.equal(mail.text, `Hello Ada <b>,\n\nset a new password: ${link}\n`);
    assert.deepEqual(mail.links, [link]);
  }));

test("the job of a mail stores neither what the composer returned nor its token", async () => {
  const log = new LogLines();
  await withMailApp(
    {},
    async (app) => {
      users.set("1", { name: "Ada", address: "ada@example.com" });
      const id = await app.get(Mailer).send(ResetPassword, { user_id: "1" });
      assert.equal((await sentMails(app)).length, 1);
      const job = await app.get(Jobs).find(id);
      assert.deepEqual([job?.state, job?.result], ["done", null]);
      assert.ok(!JSON.stringify(job).includes(token));
    },
    { log: log.options },
  );
  assert.deepEqual([...log.messages("warn"), ...log.messages("error")], []);
  assert.ok(!JSON.stringify(log.all).includes(token));
});

test("a composer that returns undefined sends nothing, and the job is done", () =>
  withMailApp({}, async (app) => {
    await app.get(Mailer).send(ResetPassword, { user_id: "deleted" });
    assert.deepEqual(await sentMails(app), []);
    assert.deepEqual(await app.jobs.pending(), []);
  }));
