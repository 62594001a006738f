import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../../../../test/support/run.ts";
import { toCrashReport } from "../../src/dev/crash-report.ts";
import { createApplication } from "../support/described-app.ts";

const preload = new URL("../../src/dev/preload.ts", import.meta.url).href;

/** What a process with these files writes to standard error when it ends. */
async function crash(files: Readonly<Record<string, string>>) {
  const folder = createApplication(files);
  const { code, stderr } = await run(process.execPath, ["--conditions=@tenon/source", "--import", preload, "main.ts"], {
    cwd: folder,
  });
  assert.doesNotMatch(stderr, /node:internal|Node\.js v/);
  return { code, stderr, folder };
}

test("a syntax error is shown with its file, line, column and source", async () => {
  const { code, stderr } = await crash({ "main.ts": 'import "./broken.ts";', "broken.ts": "\nconst x: number = ;\n" });
  assert.equal(code, 1);
  assert.equal(
    stderr,
    `
SyntaxError: Expression expected

  broken.ts:2:19

    1 |
  > 2 | const x: number = ;
      |                   ^
    3 |

`,
  );
});

test("syntax that node does not strip, and errors that only the engine finds, have their place too", async () => {
  const enumeration = await crash({ "main.ts": "enum Color { Red }\n" });
  assert.match(enumeration.stderr, /TypeScript enum is not supported in strip-only mode\n\n {2}main\.ts:1:1\n/);
  const twice = await crash({ "main.ts": 'import "./twice.ts";', "twice.ts": "const a = 1;\nconst a = 2;\n" });
  assert.match(twice.stderr, /Identifier 'a' has already been declared|the name `a` is defined multiple times/);
  assert.match(twice.stderr, /\n {2}twice\.ts:2:7\n/);
});

test("a missing module is shown at its import", async () => {
  const { stderr } = await crash({ "main.ts": '// first\nimport { a } from "./lost.ts";\na();\n' });
  assert.match(stderr, /^\nError: Cannot find module '.*lost\.ts' imported from .*main\.ts\n\n {2}main\.ts:2:19\n/);
  assert.match(stderr, /> 2 \| import \{ a \} from ".\/lost.ts";\n {6}\| {19}\^\n/);
  const name = await crash({ "main.ts": 'import { b } from "./other.ts";\nb();', "other.ts": "export const a = 1;" });
  assert.match(name.stderr, /does not provide an export named 'b'\n\n {2}main\.ts:1:10\n/);
});

test("a thrown error is shown with the frames of the application and its causes", async () => {
  const { stderr } = await crash({
    "main.ts": 'import { open } from "./open.ts";\nfunction start() {\n  open();\n}\nstart();\n',
    "open.ts": `export function open() {
\ttry {
\t\tJSON.parse("{");
\t} catch (cause) {
\t\tthrow new Error("cannot open", { cause });
\t}
}
`,
  });
  assert.match(stderr, /^\nError: cannot open\n\n {2}open\.ts:5:9\n/);
  assert.match(stderr, /> 5 \| \t\tthrow new Error\("cannot open", \{ cause \}\);\n {6}\| \t\t {6}\^\n/);
  assert.match(stderr, /\n {2}at start main\.ts:3:3\n {2}at main\.ts:5:1\n/);
  assert.match(stderr, /\ncaused by SyntaxError: .*\n\n {2}open\.ts:3:8\n/);
});

test("a known mistake has a hint", async () => {
  const { stderr } = await crash({ "main.ts": "export const folder = __dirname;\n" });
  assert.match(
    stderr,
    /\| export const folder = __dirname;\n {6}\| {23}\^\n {4}2 \|\n\n {2}hint: This is an ES module: write import\.meta\.dirname\.\n/,
  );
});

test("files that import each other are named", async () => {
  const { stderr } = await crash({
    "main.ts": 'import "./orders.ts";\n',
    "orders.ts": 'import { Users } from "./users.ts";\nexport const Orders = [Users];\n',
    "users.ts":
      'import type { X } from "./main.ts";\nimport { Orders } from "./names.ts";\nexport const Users = [Orders];\n',
    "names.ts": 'export * from "./orders.ts";\n',
  });
  const chain = "users.ts → names.ts → orders.ts → users.ts";
  const [title = "", place] = stderr.trim().split("\n\n");
  assert.equal(
    title,
    `ReferenceError: Cannot access 'Orders' before initialization. Files import each other: ${chain}`,
  );
  assert.equal(place, "  users.ts:3:23");
  assert.match(
    stderr,
    /\n {2}hint: If another file defines Orders, the two files import each other: move .+ a third file\.\n/,
  );
  const alone = await crash({ "main.ts": "export const first = second;\nexport const second = 1;\n" });
  assert.match(alone.stderr, /^\nReferenceError: Cannot access 'second' before initialization\n/);
});

test("a rejection and a value that is not an error are shown", async () => {
  assert.match((await crash({ "main.ts": "void Promise.reject(new Error('lost'));" })).stderr, /^\nError: lost\n/);
  assert.equal((await crash({ "main.ts": "throw { code: 7 };" })).stderr, "\n{ code: 7 } was thrown\n\n");
});

test("a report has no control characters, in its messages or in the source", async () => {
  const message = "\\u001b]0;title\\u0007 red \\u001b[31m, \\u009b2J, \\r over";
  const { stderr } = await crash({
    "main.ts": `\tthrow new Error("${message}", { cause: "\\u001b[2J" }); // \u001b[2J\n`,
  });
  assert.match(stderr, /^\nError: \]0;title red \[31m, 2J, {2}over\n/);
  assert.match(stderr, /> 1 \| \tthrow new Error/);
  assert.doesNotMatch(stderr, /[^\P{Cc}\n\t]/u);
  const thrown = await crash({ "main.ts": 'throw "\\u001b[2J";' });
  assert.doesNotMatch(thrown.stderr, /[^\P{Cc}\n\t]/u);
});

test("a report does not show the secret of the developer pages", async () => {
  const folder = createApplication({ "main.ts": "throw new Error(JSON.stringify(process.env));" });
  const env = { TENON_DEV_SECRET: "0".repeat(43) };
  const { stderr } = await run(process.execPath, ["--conditions=@tenon/source", "--import", preload, "main.ts"], {
    cwd: folder,
    env,
  });
  assert.match(stderr, /"TENON_DEV_SECRET":"\[redacted\]"/);
  assert.ok(!stderr.includes(env.TENON_DEV_SECRET));
});

test("an application with its own listener reports its errors itself", async () => {
  const { code, stderr } = await crash({
    "main.ts": 'process.on("uncaughtException", () => process.exit(7));\nthrow new Error("hidden");\n',
  });
  assert.deepEqual([code, stderr], [7, ""]);
});

test("causes that name each other end", () => {
  const error = new Error("one");
  error.cause = new Error("two", { cause: error });
  assert.equal(toCrashReport(error, "/srv/app").match(/^caused by/gm)?.length, 4);
  error.cause = error;
  assert.doesNotMatch(toCrashReport(error, "/srv/app"), /^caused by/m);
});

test("a place outside the folder is shown with its whole path, and without source when it cannot be read", () => {
  const folder = realpathSync(createApplication({}));
  const error = new SyntaxError("bad");
  error.stack = "file:///no/such/file.ts:3\nconst\n  ^\n\nSyntaxError: bad";
  assert.equal(toCrashReport(error, folder), "SyntaxError: bad\n\n  /no/such/file.ts:3:3\n\n");
  const missing = new Error(`Cannot find package 'x' imported from ${join(folder, "lost.ts")}`);
  missing.stack = "";
  const hint = "The package is not installed: check its spelling, then run npm install x.";
  assert.equal(toCrashReport(missing, folder), `Error: ${missing.message}\n\n  hint: ${hint}\n\n`);
});
