import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { type DevSection, Introspection } from "@tenon/core/platform";
import { Mailer } from "@tenon/mail";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { MailPanels } from "../src/dev-panel.ts";
import { type MailApp, ResetPassword, token, users, withMailApp } from "./support/mail-app.ts";

async function read(app: MailApp, query: Readonly<Record<string, string>> = {}): Promise<readonly DevSection[]> {
  const instances = app.get(Introspection).instances();
  const [panel] = instances.find((one) => one instanceof MailPanels)?.devPanels() ?? [];
  return (await panel?.read(query)) ?? [];
}

test("the inbox lists the newest mail first, and a mail has headers, links, HTML and text", () =>
  withMailApp({ url: `file:${temporaryFolder("mails")}` }, async (app) => {
    const [empty] = await read(app);
    assert.match(empty?.note ?? "", /^No mails so far\. Mails are not sent: .+ \(file /);
    for (const [id, name] of ["Ada", "Bob"].entries()) {
      users.set(String(id), { name, address: `${name.toLowerCase()}@example.com` });
      await app.get(Mailer).send(ResetPassword, { user_id: String(id) });
      await app.jobs.drain();
    }
    const [inbox] = await read(app);
    const [first, second] = inbox?.rows ?? [];
    assert.deepEqual(second?.[1], "Ada <ada@example.com>");
    assert.match(String(second?.[2]), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    const cell = first?.[0];
    assert.ok(typeof cell === "object" && cell?.query !== undefined);
    assert.equal(cell.text, "Bob, reset your password");

    const [about, links, html, text, headers] = await read(app, cell.query);
    assert.equal(about?.heading, "Bob, reset your password");
    assert.deepEqual(about.rows?.slice(0, 2), [
      ["From", "Blog <no-reply@example.com>"],
      ["To", "Bob <bob@example.com>"],
    ]);
    const link = `https://example.com/reset?token=${token}&page=1`;
    assert.deepEqual(links?.rows, [[{ text: link, href: link }]]);
    assert.match(html?.html ?? "", /^<p>Hello Bob,<\/p>/);
    assert.match(text?.text ?? "", /^Hello Bob,\n/);
    assert.deepEqual(
      headers?.rows?.map(([name]) => name),
      ["Message-ID", "Date", "Auto-Submitted"],
    );
    const [missing] = await read(app, { id: "../../package" });
    assert.equal(missing?.heading, "There is no such mail");
  }));

test("every mail has a preview, and the error of one is shown", async () => {
  await withMailApp({}, async (app) => {
    const [, previews] = await read(app);
    const name = ResetPassword.name;
    assert.deepEqual(previews?.rows, [[{ text: name, query: { preview: name } }, ResetPassword.summary]]);
    const [subject, html, text] = await read(app, { preview: name });
    assert.equal(subject?.heading, "Ada, reset your password");
    assert.match(html?.html ?? "", /token=preview&amp;page=1/);
    assert.match(text?.text ?? "", /token=preview&page=1/);
    const [unknown] = await read(app, { preview: "mail/other" });
    assert.equal(unknown?.text, 'The application has no mail "mail/other".');
  });
  const views = temporaryFolder("views");
  mkdirSync(`${views}/mail`);
  writeFileSync(`${views}/mail/reset-password.eta`, "<p><%= data.name %></p>");
  writeFileSync(`${views}/mail/reset-password.text.eta`, "");
  await withMailApp({ views: pathToFileURL(`${views}/`) }, async (app) => {
    writeFileSync(`${views}/mail/reset-password.eta`, "<p><%= data.nam.first %></p>"); // edited while it runs
    const [failed] = await read(app, { preview: ResetPassword.name });
    assert.equal(failed?.heading, "The preview of mail/reset-password failed");
    assert.match(failed?.text ?? "", /reading 'first'/);
  });
});

test("with a mail server the page says that no copy is kept, without the password", () =>
  withMailApp({ url: "smtp://blog:hunter2@smtp.example.com:587" }, async (app) => {
    const [inbox, previews] = await read(app);
    assert.match(inbox?.note ?? "", /^Mails are sent to .*smtp\.example\.com:587, and no copy of them is kept\./);
    assert.equal(inbox?.note?.includes("hunter2"), false);
    assert.equal(previews?.rows?.length, 1);
  }));
