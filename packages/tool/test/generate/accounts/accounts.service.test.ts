import assert from "node:assert/strict";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../../../../test/support/run.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { checkAudit, checkStyle, checkTypes, runScript, runScriptOrFail } from "../../support/generated-app.ts";
import { takeSnapshot } from "../../support/take-snapshot.ts";
import { runCommand, runTool } from "../../support/tool.ts";

const folder = temporaryFolder("accounts");
const read = (app: string, path: string) => readFileSync(join(app, path), "utf8");

async function generate(template: string, name: string, ...flags: readonly string[]): Promise<string> {
  const app = join(folder, name);
  for (const result of [
    await runTool(folder, "new", name, `--template=${template}`, "--no-accounts"),
    await runTool(app, "g", "auth", ...flags),
    await runTool(app, "g", "accounts"),
  ]) {
    assert.equal(result.code, 0, result.stderr);
    assert.doesNotMatch(result.stdout, /unchanged/);
  }
  symlinkSync(join(root, "node_modules"), join(app, "node_modules"));
  return app;
}
const apps = Promise.all([
  generate("api", "api"),
  generate("api", "api-sessions", "--sessions"),
  generate("web", "web"),
  generate("full", "full"),
  generate("full", "full-sessions", "--sessions"),
]);

/** Requests of every kind to the whole application, with a resource whose rows belong to users. */
const fuzzTest = `import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Tokens, useFastPasswords } from "@tenon/auth";
import { api, defineModule } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { fuzzAccess, fuzzContract } from "@tenon/fuzz";
import { AppModule } from "../src/app.module.ts";
import { AuthModule } from "../src/auth.module.ts";
import { UsersModule } from "../src/users/users.module.ts";
import { UsersService } from "../src/users/users.service.ts";

const config = { databaseUrl: "sqlite::memory:", redisUrl: undefined, mailUrl: "memory:" };
const TestModule = defineModule({ name: "test", imports: [AppModule, AuthModule, UsersModule] });
const app = await createTestApp(TestModule, api(), { config, override: [useFastPasswords()] });
after(() => app.stop());

/** They take what only a mail, an app or the user knows, or need a verified address or an object of the user. */
const secretive = [
  ...["verify", "reset", "confirmEmailChange", "confirm", "changePassword"].map((name) => \`accounts.\${name}\`),
  ...["beginSecondFactor", "confirmSecondFactor", "renewRecoveryCodes", "endSession"].map((name) => \`accounts.\${name}\`),
  ...["notes.show", "notes.update", "notes.delete", "users.login"],
];

let count = 0;
async function register() {
  const email = \`user-\${count++}@example.com\`;
  const user = (await app.get(UsersService).register({ email, password: "correct horse" })) ?? assert.fail();
  const headers = { authorization: ["Bearer", await app.get(Tokens).issue(user)].join(" ") };
  await app.request("POST", "/account/confirm", { json: { password: "correct horse" }, headers }); // a recent login
  return headers;
}

test("gives users no way to the accounts and notes of others", async () => {
  const as = { alice: await register(), bob: await register(), guest: null };
  const skip = ["accounts.delete", "accounts.endOtherSessions"]; // they end the credentials of their actor
  const untested = ["accounts.endSession"]; // sessions come from logins
  const { reached } = await fuzzAccess(app, { as, skip, untested });
  assert.ok(reached.includes("accounts.show") && reached.includes("notes.show"), reached.join());
});

test("responds as declared to generated requests", async () => {
  const { statuses } = await fuzzContract(app, { requests: 500, headers: register, skip: secretive });
  assert.ok(Object.keys(statuses).length > 12, JSON.stringify(statuses));
  // no generated value is a token or a password: that is said once all of their responses were as declared
  const responses = fuzzContract(app, { requests: 200, headers: register, only: secretive });
  await assert.rejects(responses, /: (?:no generated request|no request|every request) to/);
});
`;

const portTest = `import assert from "node:assert/strict";
import { after, test } from "node:test";
import { useFastPasswords } from "@tenon/auth";
import { createTestApp } from "@tenon/core/testing";
import { sentMails } from "@tenon/mail/testing";
import { AppModule } from "../src/app.module.ts";
import { createPlatform } from "../src/platform.ts";
import { UsersService } from "../src/users/users.service.ts";

const config = { port: 9000, databaseUrl: "sqlite::memory:", redisUrl: undefined, mailUrl: "memory:" };
const app = await createTestApp(AppModule, createPlatform(), { config, override: [useFastPasswords()] });
after(() => app.stop());

test("links of mails lead to the port of the process", async () => {
  await app.get(UsersService).register({ email: "ada@example.com", password: "correct horse" });
  const [mail] = await sentMails(app);
  assert.match(mail?.links[0] ?? "", /^http:\\/\\/127\\.0\\.0\\.1:9000\\/account\\/verify\\?/);
});
`;

test("generates accounts that pass lint, audit, types and their tests", async () => {
  const all = await apps;
  const [, , web, fuzzed] = all;
  assert.equal((await runTool(fuzzed, "g", "resource", "note", "--owner")).code, 0);
  writeFileSync(join(fuzzed, "test/fuzz.test.ts"), fuzzTest);
  writeFileSync(join(web, "test/port.test.ts"), portTest);
  await checkStyle(all);
  await checkAudit(all);
  await checkTypes(folder, all);
  for (const app of all) {
    const output = await runScriptOrFail(app, "test", [], { NODE_OPTIONS: "--test-isolation=none" });
    if (existsSync(join(app, "src/main.api.ts"))) {
      assert.match(output, /verifies the address of a new user by the link in a mail, once/);
      assert.match(output, /takes a code at the login of a user with a second factor/);
    }
    if (app === web) assert.match(output, /✔ links of mails lead to the port of the process/);
    if (app === fuzzed) {
      assert.match(output, /✔ gives users no way to the accounts and notes of others/);
      assert.match(output, /✔ responds as declared to generated requests/);
    }
    if (existsSync(join(app, "src/main.web.ts"))) {
      assert.match(output, /takes a code in a second step of the login, and ends other sessions/);
    }
  }
});

test("tenon check finds nothing in the generated application", async () => {
  const full = (await apps)[3];
  const { code, stdout, stderr } = await runCommand("check", `--in=${full}`);
  assert.equal(code, 0, stdout + stderr);
});

test("the template full is what the generators make of it without accounts", async () => {
  const place = temporaryFolder("full");
  const { code, stderr, stdout } = await runTool(place, "new", "full", "--template=full");
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    /Register at \/register of the pages\. The mail with the link is on the page Mail of the devtools/,
  );
  const again = join(temporaryFolder("again"), "full");
  for (const words of [
    ["new", "full", "--template=full", "--no-accounts", `--in=${join(again, "..")}`],
    ["g", "auth", `--in=${again}`],
    ["g", "accounts", `--in=${again}`],
  ]) {
    assert.equal((await runCommand(...words, "--no-install")).code, 0);
  }
  // two texts tell a reader what there is, or how to add it
  const isCode = (line: string) => !/^\/(?:README\.md|AGENTS\.md) /.test(line);
  const without = (start: string) =>
    takeSnapshot(start)
      .map((line) => line.replace(start, ""))
      .filter(isCode);
  assert.deepEqual(without(join(place, "full")), without(again));
  assert.ok(existsSync(join(place, "full/src/accounts.module.ts")));
});

test("names the variables in the files for deployment, and does not start in production without them", async () => {
  const [api, sessions, web] = await apps;
  for (const app of [api, sessions, web]) {
    for (const name of ["MAIL_URL", "MAIL_FROM", "BASE_URL"]) {
      assert.match(read(app, ".env.example"), new RegExp(`^#${name}=`, "m"));
      assert.match(read(app, "compose.yaml"), new RegExp(`^ {6}${name}: `, "m"));
    }
  }
  assert.match(read(api, "Dockerfile"), /^COPY views \.\/views$/m);
  assert.match(read(api, ".dockerignore"), /^!views$/m);
  const { code, stderr } = await runScript(sessions, "start", [], { NODE_ENV: "production", PORT: "0" });
  assert.equal(code, 1);
  for (const name of ["SECOND_FACTOR_SECRET", "MAIL_URL", "MAIL_FROM", "BASE_URL"]) {
    assert.ok(stderr.includes(`${name} is not set`), stderr);
  }
});

test("leaves files alone that were changed since tenon g auth, and prints the lines to change", async () => {
  const place = temporaryFolder("changed");
  const app = join(place, "site");
  await runTool(place, "new", "site", "--template=web");
  await runTool(app, "g", "auth");
  const service = `${read(app, "src/users/users.service.ts")}// mine\n`;
  writeFileSync(join(app, "src/users/users.service.ts"), service);
  const layout = read(app, "views/layout.eta").replace("<span><%= page.shared.user.email %></span>", "");
  writeFileSync(join(app, "views/layout.eta"), layout);
  const { code, stdout, stderr } = await runTool(app, "g", "accounts");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /changed {2}src\/users\/users\.pages\.ts: has accounts\n/);
  assert.match(stdout, /\nsrc\/users\/users\.service\.ts differs from what g auth generates, and is unchanged\./);
  assert.match(stdout, /\n {2}- +await this\.#db\.insertInto\("users"\)\.values\(user\)\.execute\(\);\n/);
  assert.match(stdout, /\n {2}\+ +await this\.#accounts\.registered\(user\.id, \{ transaction \}\);/);
  assert.match(stdout, /views\/layout\.eta could not be edited and is unchanged\. Link the account:/);
  assert.deepEqual([read(app, "src/users/users.service.ts"), read(app, "views/layout.eta")], [service, layout]);
});

test("refuses an application without users, without routes and pages, and with accounts", async () => {
  const place = temporaryFolder("refused");
  for (const [template, reason] of [
    ["api", "g accounts needs users who log in: run tenon g auth first; nothing was changed"],
    ["web", "g accounts needs users who log in: run tenon g auth first; nothing was changed"],
    ["cli", "g accounts needs src/main.api.ts or src/main.web.ts: nothing was changed"],
    ["full", "src/accounts.module.ts exists already: nothing was changed"],
  ] as const) {
    const app = join(place, template);
    await runTool(place, "new", template, `--template=${template}`);
    const before = takeSnapshot(app);
    const { code, stderr } = await runTool(app, "g", "accounts");
    assert.deepEqual([code, stderr], [1, `tenon: ${reason}\n`]);
    assert.deepEqual(takeSnapshot(app), before);
  }
});
