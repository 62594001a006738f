import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { api, dto, StartError, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { Database } from "@tenon/data";
import { defineMail, Mailer, type MailModuleOptions } from "@tenon/mail";
import { rejection } from "../../core/test/support/start-error.ts";
import { withFolder } from "../../data/test/support/services.ts";
import { createMailModule, ResetPassword, users, withMailApp } from "./support/mail-app.ts";

async function problemOf(options: Partial<MailModuleOptions>): Promise<string> {
  const error = await rejection(createTestApp(createMailModule(options), api(), { log: { level: "silent" } }));
  assert.ok(error instanceof StartError);
  return error.message;
}

const urls: Readonly<Record<string, RegExp>> = {
  "http://localhost": /url of mailModule\(\) is a URL of another kind\. It takes a URL such as smtp:/,
  "smtp://": /is not a URL with a host and a port up to 65535/,
  "smtp://user:s3cret@host:99999": /is not a valid URL: .* a port is at most 65535/,
  "smtp://user:s3cret@x@host:0": /The port is from 1 to 65535/,
  "smtp://user:s3/cret@host": /is not a valid URL: in the user and the password, write \/ \? # @ % as %2F/,
  "smtp://user:25/s3cret@host": /is not a valid URL/,
  "smtp://user:25?s3cret@host": /is not a valid URL/,
  "smtp://user:s3?cret@host": /is not a valid URL/,
  "smtp://user:s3#cret@host": /is not a valid URL/,
  "smtp://user:s3cret": /is not a URL with a host and a port/,
  "smtp://s3cret@host": /Write both user and password, or neither/,
  "smtp//user:s3cret@host": /does not begin with a scheme/,
  "smtp:user:s3cret@host": /is not a valid URL/,
  "smtp://host?tls=no": /\?tls takes off, which sends mails in clear text/,
  "smtps://host?tls=off": /smtps: always uses TLS/,
  "smtp://host?s3cret=true": /It takes no parameter but \?tls=off/,
  "smtp://host/path": /Leave out what follows the port/,
  "smtp://user@host": /Write both user and password, or neither/,
  "smtp://user:s3cret%@host": /Write "%" in user and password as %25/,
  "file:": /Name a folder/,
};

test("a URL that cannot be used stops the start, without its password", async () => {
  for (const [url, problem] of Object.entries(urls)) {
    const message = await problemOf({ url });
    assert.match(message, problem);
    assert.doesNotMatch(message, /s3|cret|user:25/);
  }
});

test("a sender that is invalid, and views that are not there, stop the start", async () => {
  assert.match(await problemOf({ from: "Blog" }), /from of mailModule\(\) is "Blog": the address is invalid/);
  assert.match(await problemOf({ from: { name: "a\r\nb", address: "a@example.com" } }), /the name is invalid/);
  await withFolder(async (views) => {
    const missing =
      /"mail\/reset-password" has no mail\/reset-password\.eta and no mail\/reset-password\.text\.eta in /;
    assert.match(await problemOf({ views }), missing);
  });
});

test("a view that its preview cannot be rendered with stops the start", () =>
  withFolder(async (views) => {
    mkdirSync(join(views, "mail"));
    writeFileSync(join(views, "mail/reset-password.eta"), "<p>Hello <%= data.name %></p>\n<p><%= data.linc %></p>");
    writeFileSync(join(views, "mail/reset-password.text.eta"), "");
    assert.match(
      await problemOf({ views }),
      /reset-password\.eta:2: a value is undefined: the data of this view does not/,
    );
  }));

test("a mail is sent if and only if its transaction commits", () =>
  withMailApp({ url: "smtp://127.0.0.1:1" }, async (app) => {
    const db = app.get(Database);
    const mailer = app.get(Mailer);
    assert.equal(mailer.delivers, true);
    await db.transaction().execute((transaction) => mailer.send(ResetPassword, { user_id: "1" }, { transaction }));
    const undone = db.transaction().execute(async (transaction) => {
      await mailer.send(ResetPassword, { user_id: "2" }, { transaction });
      throw new Error("undone");
    });
    await assert.rejects(undone, /undone/);
    assert.deepEqual(
      (await app.jobs.pending(ResetPassword)).map(({ input }) => input),
      [{ user_id: "1" }],
    );
  }));

test("files: one for each mail, readable by their owner only", () =>
  withFolder((folder) =>
    withMailApp({ url: `file:${join(folder, "mail")}` }, async (app) => {
      assert.equal(app.get(Mailer).delivers, false);
      assert.equal(existsSync(join(folder, "mail")), false);
      users.set("1", { address: "ada@example.com" });
      for (let count = 0; count < 2; count++) await app.get(Mailer).send(ResetPassword, { user_id: "1" });
      await app.jobs.drain();
      const names = readdirSync(join(folder, "mail"));
      assert.deepEqual([names.length, names.every((name) => /^\d{17}-[0-9a-f]{8}\.json$/.test(name))], [2, true]);
      for (const name of names) assert.equal(statSync(join(folder, "mail", name)).mode & 0o777, 0o600);
    }),
  ));

test("the preview and the data of a mail have the type of its schema", () => {
  const options = { data: dto({ link: string("required") }), subject: "Hello" };
  assert.equal(defineMail("mail/hello", { ...options, preview: { link: "x" } }).queue, "mail");
  // @ts-expect-error a link is a text
  assert.ok(defineMail("mail/hello", { ...options, preview: { link: 7 } }));
  assert.throws(() => defineMail("hello", { ...options, preview: { link: "x" } }), /the name begins with "mail\/"/);
});
