import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runOrFail } from "../../../test/support/run.ts";
import { appTemplates } from "../src/templates.ts";
import { checkStyle, generateApp, whileServing } from "./support/generated-app.ts";
import { runTool } from "./support/tool.ts";

const apps = new Map(appTemplates.map((template) => [template, generateApp(template)]));

for (const [template, generated] of apps) {
  test(`an application of the template ${template} with both kinds of module passes the linter and the types`, async () => {
    const app = await generated;
    await checkStyle(app);
    await runOrFail("npm", ["run", "types"], { cwd: app });
  });

  test(`an application of the template ${template} with both kinds of module passes its own tests`, async () => {
    const said = await runOrFail("npm", ["test"], { cwd: await generated });
    assert.match(said, /DELETE \/blog-posts\/:id removes one/);
    assert.match(said, /GET \/people answers/);
  });

  test(`the module of an application of the template ${template} imports what was generated`, async () => {
    const source = readFileSync(join(await generated, "src/app.module.ts"), "utf8");
    assert.match(source, /imports: \[GreetingsModule, BlogPostsModule, PeopleModule\]/);
  });
}

test("short, long, irregular and unchanging names give formatted and typed files", async () => {
  const app = await generateApp("api");
  for (const name of ["x", "zebra", "category", "child", "series", "customer-support-ticket"]) {
    const { code, stderr } = await runTool(app, "g", "module", `--name=${name}`, "--type=resource");
    assert.equal(code, 0, stderr);
  }
  await checkStyle(app);
  await runOrFail("npm", ["run", "types"], { cwd: app });
});

test("npm start of an API serves the five routes of a generated resource, and the plain module", async () => {
  const app = await (apps.get("api") ?? assert.fail());
  await whileServing(app, async (url) => {
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${url}${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      });
      const text = await response.text();
      return { status: response.status, value: (text === "" ? undefined : JSON.parse(text)) as unknown };
    };
    assert.deepEqual(await call("GET", "/"), { status: 200, value: { message: "Hello, World!" } });
    assert.deepEqual(await call("GET", "/people"), { status: 200, value: { message: "people are ready" } });
    assert.deepEqual(await call("GET", "/blog-posts"), { status: 200, value: [] });
    const created = await call("POST", "/blog-posts", { title: "First" });
    assert.equal(created.status, 201);
    const { id } = created.value as { id: string }; // as the test below it shows
    assert.deepEqual(await call("GET", `/blog-posts/${id}`), { status: 200, value: created.value });
    const updated = await call("PUT", `/blog-posts/${id}`, { title: "Second" });
    assert.equal(updated.status, 200);
    assert.deepEqual(await call("GET", "/blog-posts"), { status: 200, value: [updated.value] });
    assert.deepEqual(await call("DELETE", `/blog-posts/${id}`), { status: 204, value: undefined });
    const missing = { status: 404, value: { error: "Blog post not found" } };
    assert.deepEqual(await call("GET", `/blog-posts/${id}`), missing);
    assert.deepEqual(await call("GET", "/blog-posts/%00"), missing);
  });
});

test("npm start of a command-line application runs its commands", async () => {
  const app = await (apps.get("cli") ?? assert.fail());
  assert.match(await runOrFail("npm", ["start"], { cwd: app }), /^Hello, World!$/m);
  assert.match(await runOrFail("npm", ["start", "--", "greet", "Ada", "-l"], { cwd: app }), /^HELLO, ADA!$/m);
  assert.match(await runOrFail("npm", ["start", "--", "people"], { cwd: app }), /people are ready/);
});
