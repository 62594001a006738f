import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { run, runOrFail } from "../../../test/support/run.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { appTemplates } from "../src/templates.ts";
import {
  checkAudit,
  checkStyle,
  checkTypes,
  generateApp,
  isFull,
  runScript,
  runScriptOrFail,
  whileServing,
} from "./support/generated-app.ts";
import { runTool } from "./support/tool.ts";

const folder = temporaryFolder("generated");
const apps = new Map(appTemplates.map((template) => [template, generateApp(join(folder, template), template)]));
const appOf = (template: (typeof appTemplates)[number]) => apps.get(template) ?? assert.fail();

/** Names of tests of each application: they show that its modules have the right handlers. */
const expected = {
  api: [/GET \/ greets/, /DELETE \/blog-posts\/:id removes one/, /GET \/person responds with its message/],
  web: [/remembers the name of the form/, /deletes one after a confirmation page/, /GET \/person shows a page/],
  cli: [/greet prints a greeting/, /delete removes one/, /person prints its message/],
  full: [
    ...[/GET \/ greets/, /remembers the name of the form/, /greet prints a greeting/],
    ...[/DELETE \/blog-posts\/:id removes one/, /delete removes one/],
    ...[/GET \/person responds with its message/, /person prints its message/],
  ],
};

test("generates code that passes lint, format, audit and type checks for every template, module type and name", async () => {
  const [api] = await Promise.all(apps.values());
  assert.ok(api !== undefined);
  const long = await generateApp(join(folder, "long"), "full", `shop-${"of-things-".repeat(5)}best`);
  for (const name of [
    "x",
    "zebra",
    "category",
    "child",
    "series",
    "series-of-ours",
    "item-2",
    "item-10",
    "a".repeat(60),
  ]) {
    const { code, stderr } = await runTool(long, "g", "module", `--name=${name}`, "--type=resource");
    assert.equal(code, 0, stderr);
  }
  const all = [...(await Promise.all(apps.values())), long];
  await checkStyle(all);
  await checkAudit(await Promise.all(apps.values()));
  if (isFull) for (const app of all) await runOrFail("npm", ["run", "types"], { cwd: app });
  else await checkTypes(folder, all);
});

for (const [template, generated] of apps) {
  test(`generates tests that pass for the ${template} template and both module types`, async () => {
    // without TENON_FULL all test files run in one process
    const env = isFull ? {} : { NODE_OPTIONS: "--test-isolation=none" };
    const output = await runScriptOrFail(await generated, "test", [], env);
    for (const name of expected[template]) assert.match(output, name);
  });

  test(`imports the generated modules in app.module.ts of the ${template} template`, async () => {
    const source = readFileSync(join(await generated, "src/app.module.ts"), "utf8");
    assert.match(
      source,
      /imports: \[(?:ConfigModule, )?DataModule, JobsModule, (?:WebSessionsModule, )?GreetingsModule, BlogPostsModule, PersonModule\]/,
    );
  });
}

async function checkFiveRoutes(url: string): Promise<void> {
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    const text = await response.text();
    return { status: response.status, value: (text === "" ? undefined : JSON.parse(text)) as unknown };
  };
  assert.deepEqual(await call("GET", "/"), { status: 200, value: { message: "Hello, World!" } });
  assert.deepEqual(await call("GET", "/person"), { status: 200, value: { message: "person: ready" } });
  const toList = (...items: readonly unknown[]) => ({ status: 200, value: { items, next: null, previous: null } });
  assert.deepEqual(await call("GET", "/blog-posts"), toList());
  const created = await call("POST", "/blog-posts", { title: "First" });
  assert.equal(created.status, 201);
  const { id } = created.value as { id: string }; // checked by the request after it
  assert.deepEqual(await call("GET", `/blog-posts/${id}`), { status: 200, value: created.value });
  const updated = await call("PATCH", `/blog-posts/${id}`, { title: "Second" });
  assert.equal(updated.status, 200);
  assert.deepEqual(await call("GET", "/blog-posts"), toList(updated.value));
  assert.deepEqual(await call("DELETE", `/blog-posts/${id}`), { status: 204, value: undefined });
  const missing = { status: 404, value: { error: "Blog post not found" } };
  assert.deepEqual(await call("GET", `/blog-posts/${id}`), missing);
  assert.deepEqual(await call("GET", "/blog-posts/%00"), { status: 400, value: { error: "Bad Request" } });
}

interface FilledForm {
  readonly action: string;
  readonly body: URLSearchParams;
}

/** A browser that keeps the cookie and submits the forms of pages. */
class Browser {
  #url: string;
  #cookie = "";

  constructor(url = "") {
    this.#url = url;
  }

  /** The same visitor, after the application has moved. */
  at(url: string): this {
    this.#url = url;
    return this;
  }

  async open(path: string, init: RequestInit = {}): Promise<{ path: string; status: number; html: string }> {
    const response = await fetch(`${this.#url}${path}`, {
      ...init,
      headers: { ...init.headers, accept: "text/html", ...(this.#cookie === "" ? {} : { cookie: this.#cookie }) },
      redirect: "manual",
    });
    this.#cookie = response.headers.get("set-cookie")?.split(";")[0] ?? this.#cookie;
    const html = await response.text();
    const location = response.headers.get("location");
    return location === null ? { path, status: response.status, html } : this.open(location);
  }

  /** The only form of a page, with its token. */
  async fill(page: string, fields: Readonly<Record<string, string>>): Promise<FilledForm> {
    const { html } = await this.open(page);
    const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? assert.fail(html);
    const token = /name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? assert.fail(html);
    return { action, body: new URLSearchParams({ _csrf: token, ...fields }) };
  }

  submit(page: string, { action, body }: FilledForm) {
    const headers = { origin: this.#url, referer: `${this.#url}${page}` };
    return this.open(action, { method: "POST", body, headers });
  }

  /** Submits the only form of a page. */
  async send(page: string, fields: Readonly<Record<string, string>>) {
    return this.submit(page, await this.fill(page, fields));
  }
}

async function checkGreetingPages(browser: Browser): Promise<void> {
  const first = await browser.open("/");
  assert.match(first.html, /<h1>Hello, World!<\/h1>/);
  assert.match(first.html, /<meta name="description" content="The pages of [\w-]+\.">/);
  const style = await browser.open(/href="(\/assets\/style\.[^"]+)"/.exec(first.html)?.[1] ?? assert.fail(first.html));
  assert.match(style.html, /color-scheme/);
  assert.match((await browser.send("/", { name: "Ada" })).html, /Your name was noted[\s\S]*Hello, Ada!/);
  assert.deepEqual(JSON.parse((await browser.open("/health/live")).html), { status: "ok" });
  const notFound = await browser.open("/unknown");
  assert.equal(notFound.status, 404);
  assert.match(notFound.html, /There is no page at this address/);
}

test("serves the routes of both module types with npm start of an api application", async () => {
  await whileServing(await appOf("api"), "start", checkFiveRoutes);
});

test("serves the pages of both module types with npm start of a web application", async () => {
  await whileServing(await appOf("web"), "start", async (url) => {
    const browser = new Browser(url);
    await checkGreetingPages(browser);
    assert.match((await browser.open("/person")).html, /person: ready/);
    assert.match((await browser.open("/blog-posts")).html, /There are none here/);
    const created = await browser.send("/blog-posts/new", { title: "First" });
    assert.match(created.html, /Blog post created[\s\S]*<h1>First<\/h1>/);
    assert.match((await browser.send(`${created.path}/edit`, { title: "Second" })).html, /<h1>Second<\/h1>/);
    assert.match((await browser.open("/blog-posts")).html, />Second<\/a>/);
    assert.match(
      (await browser.send(`${created.path}/delete`, {})).html,
      /Blog post deleted[\s\S]*There are none here/,
    );
    assert.equal((await browser.open(created.path)).status, 404);
  });
});

/** Runs the commands of a resource through an npm script. */
async function checkCommands(app: string, script: string): Promise<void> {
  const type = (...words: readonly string[]) => runScriptOrFail(app, script, words);
  const { id } = JSON.parse(await type("blog-posts", "create", "--title=First", "--json")) as { id: string }; // from the service
  assert.match(await type("blog-posts", "list"), new RegExp(`^id .*\n${id}  First`));
}

test("runs the commands with npm start of a cli application", async () => {
  const app = await appOf("cli");
  assert.match(await runScriptOrFail(app, "start"), /^Hello, World!$/m);
  await checkCommands(app, "start");
});

test("serves routes and pages, and runs the commands, of a full application", async () => {
  const app = await appOf("full");
  await whileServing(app, "start", checkFiveRoutes);
  await whileServing(app, "start:web", (url) => checkGreetingPages(new Browser(url)));
  await checkCommands(app, "cli");
});

for (const template of appTemplates) {
  test(`reads no variable when app.module.ts of the ${template} template is imported`, async () => {
    const app = await appOf(template);
    const env = { PORT: "abc", LOG_LEVEL: "loud", SESSION_SECRET: "short", NODE_ENV: "production" };
    const source = ["--conditions=@tenon/source", "-e", 'import("./src/app.module.ts")'];
    const result = await run(process.execPath, source, { cwd: app, env });
    assert.deepEqual(result, { code: 0, stdout: "", stderr: "" });
  });
}

test("lists all bad variables at a start", async () => {
  const urls = { DATABASE_URL: "nonsense", REDIS_URL: "memory" };
  const env = { PORT: "abc", LOG_LEVEL: "loud", TRUSTED_PROXIES: "proxy", SESSION_SECRET: "short", ...urls };
  const stores = [
    "DATABASE_URL takes for example sqlite:<file> or postgres://user@host/name.",
    "REDIS_URL takes for example redis://host:port.",
  ];
  const problems = [
    ...stores,
    'PORT is "abc". It must be a whole number.',
    'TRUSTED_PROXIES is "proxy". It takes for example 10.0.0.0/8,::1.',
  ];
  const secret = "SESSION_SECRET must have at least 32 characters.";
  const level = 'LOG_LEVEL is "loud". Use one of: trace, debug, info, warn, error, fatal, silent.';
  for (const [template, script, expected] of [
    ["api", "start", [level, ...problems]],
    ["web", "start", [level, ...problems, secret]],
    ["full", "start", [level, ...problems, secret]],
    ["full", "start:web", [level, ...problems, secret]],
    ["full", "cli", [level, ...problems, secret]],
    ["api", "worker", [level, ...problems]],
    ["cli", "start", [level, ...stores]],
  ] as const) {
    const { code, stderr } = await runScript(await appOf(template), script, [], env);
    assert.equal(code, 1, `${template}, ${script}`);
    assert.match(stderr, /^Cannot start: /);
    for (const line of expected) assert.ok(stderr.includes(line), `${template}, ${script}: ${stderr}`);
    assert.equal(stderr.match(/^ {2}\d\. /gm)?.length ?? 1, expected.length, stderr);
  }
});

test("prints one line and does not start with a bad port or an unknown flag", async () => {
  const start = async (app: string, script: string, flags: readonly string[], env = {}) => {
    const { code, stderr } = await runScript(app, script, flags, env);
    return { code, stderr };
  };
  const [api, pages, flag] = await Promise.all([
    start(await appOf("api"), "start", ["--port=http"]),
    start(await appOf("full"), "start:web", [], { PORT: "http" }),
    start(await appOf("web"), "start", ["--prt=1"]),
  ]);
  for (const { code, stderr } of [api, pages]) {
    assert.equal(code, 1);
    assert.match(stderr, /^Cannot start: PORT is "http"\. It must be a whole number\. See .*#bad_environment\n$/);
  }
  assert.equal(flag.code, 1);
  assert.match(
    flag.stderr,
    /^Cannot start: --prt is not a flag of this application\. It has --port, --host\. See .*\n$/,
  );
});

test("does not start an application with pages in production without SESSION_SECRET", async () => {
  const env = { NODE_ENV: "production", PORT: "0" };
  const [web, pages, short] = await Promise.all([
    runScript(await appOf("web"), "start", [], env),
    runScript(await appOf("full"), "start:web", [], env),
    runScript(await appOf("web"), "start", [], { ...env, SESSION_SECRET: "a short one" }),
  ]);
  const refused = /^Cannot start: SESSION_SECRET is not set. It takes at least 32 random bytes.* See .*\n$/;
  for (const { code, stderr } of [web, pages]) {
    assert.equal(code, 1);
    assert.match(stderr, refused);
  }
  assert.equal(short.code, 1);
  assert.match(short.stderr, /^Cannot start: SESSION_SECRET must have at least 32 characters/);
});

test("keeps sessions and open forms of web applications across a restart", async () => {
  for (const [template, script] of [
    ["web", "start"],
    ["full", "start:web"],
  ] as const) {
    const app = await appOf(template);
    const visitor = new Browser();
    let form = { action: "", body: new URLSearchParams() };
    await whileServing(app, script, async (url) => {
      await visitor.at(url).send("/", { name: "Grace" });
      form = await visitor.fill("/", { name: "Hopper" });
    });
    await whileServing(app, script, async (url) => {
      assert.match((await visitor.at(url).open("/")).html, /Hello, Grace!/);
      assert.match((await visitor.submit("/", form)).html, /Hello, Hopper!/);
    });
    assert.equal(statSync(join(app, "data/session-secret")).mode & 0o777, 0o600);
  }
});

test("serves the docs page and the OpenAPI document outside development only where the option says so", async () => {
  const app = await appOf("api");
  const main = join(app, "src/main.api.ts");
  const text = readFileSync(main, "utf8");
  await whileServing(app, "start", async (url) => {
    for (const path of ["/docs", "/openapi.json"]) assert.equal((await fetch(`${url}${path}`)).status, 404);
  });
  writeFileSync(main, text.replace("docs: true", "docs: { public: true }"));
  await whileServing(app, "start", async (url) => {
    assert.match(await (await fetch(`${url}/docs`)).text(), /swagger-ui/);
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as { info: object }; // compared in the next line
    assert.deepEqual(document.info, { title: "my-shop", version: "0.1.0" });
  });
  writeFileSync(main, text);
});

test("reads the addresses of proxies from TRUSTED_PROXIES, and refuses what is not one", async () => {
  for (const [template, script, path] of [
    ["api", "start", "/"],
    ["web", "start", "/"],
    ["full", "start:web", "/"],
  ] as const) {
    const app = await appOf(template);
    const bad = await runScript(app, script, [], { TRUSTED_PROXIES: "10.0.0.0/8,proxy", PORT: "0" });
    assert.equal(bad.code, 1);
    assert.match(
      bad.stderr,
      /^Cannot start: TRUSTED_PROXIES is "10\.0\.0\.0\/8,proxy"\. It takes for example 10\.0\.0\.0\/8,::1\. See .*\n$/,
    );
    const env = { TRUSTED_PROXIES: "127.0.0.1, ::1" };
    const seen = async (url: string) => {
      const response = await fetch(`${url}${path}`, { headers: { "x-forwarded-proto": "https" } });
      return response.headers.has("strict-transport-security");
    };
    await whileServing(app, script, async (url) => assert.equal(await seen(url), false));
    await whileServing(app, script, async (url) => assert.equal(await seen(url), true), env);
  }
});

test("shows the health of an application with an API, and the issues of rejected input", async () => {
  await whileServing(await appOf("api"), "start", async (url) => {
    const ready = await fetch(`${url}/health/ready`);
    assert.equal(ready.status, 200);
    const rejected = await fetch(`${url}/blog-posts`, { method: "POST", body: "{}" });
    assert.match(await rejected.text(), /"issues"/);
  });
});

test("runs the commands of the database in applications with commands", async () => {
  for (const [template, script] of [
    ["cli", "start"],
    ["full", "cli"],
  ] as const) {
    assert.match(await runScriptOrFail(await appOf(template), script, ["migrate", "status"]), /^blog-posts-001 /m);
  }
});
