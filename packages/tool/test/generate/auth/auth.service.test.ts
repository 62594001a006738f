import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { root, run } from "../../../../../test/support/run.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import {
  checkAudit,
  checkStyle,
  checkTypes,
  isFull,
  runScript,
  runScriptOrFail,
  whileServing,
} from "../../support/generated-app.ts";
import { runCommand, runTool } from "../../support/tool.ts";

const folder = temporaryFolder("auth");

async function generate(template: string, name = `${template}-app`, ...flags: readonly string[]): Promise<string> {
  await runTool(folder, "app", `--name=${name}`, `--template=${template}`, "--no-accounts");
  const app = join(folder, name);
  symlinkSync(join(root, "node_modules"), join(app, "node_modules"));
  const { code, stderr } = await runTool(app, "g", "auth", ...flags);
  assert.equal(code, 0, stderr);
  return app;
}
const apps = Promise.all(["api", "web", "full"].map((template) => generate(template)));
const sessionApps = Promise.all(
  ["api", "full"].map((template) => generate(template, `${template}-sessions`, "--sessions")),
);
const read = (app: string, path: string) => readFileSync(join(app, path), "utf8");

test("generates registration, login and guards that pass lint, audit, types and their tests", async () => {
  const tokenApps = await apps;
  const all = [...tokenApps, ...(await sessionApps)];
  for (const app of all) {
    const { code, stderr, stdout } = await runTool(app, "g", "resource", "post", "--owner");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^The .+: users see and change their own only, by the policy PostOwner\.$/m);
    const fields = "--fields=note:text?,tag:ref,editor:ref:user?,post:ref?";
    assert.equal((await runTool(app, "g", "resource", "tag", "--fields=title:string,author:ref:user")).code, 0);
    assert.equal((await runTool(app, "g", "resource", "article", fields, "--owner")).code, 0);
    for (const field of ["user:ref", "author:ref:user"]) {
      const twice = await runTool(app, "g", "resource", "like", `--fields=${field}`, "--owner");
      assert.match(
        twice.stderr,
        /--owner adds the owner as user_id: leave out (user|author)_id, or .+; nothing was changed/,
      );
    }
  }
  const [api = "", web = "", full = "", sessions = "", fullSessions = ""] = all;
  for (const [app, guard] of [
    [api, "BearerAuth"],
    [full, "BearerAuth"],
    [sessions, "SessionAuth"],
    [fullSessions, "SessionAuth"],
  ] as const) {
    const guards = [...read(app, "src/posts/posts.controller.ts").matchAll(/middlewares: \[(.*)\]/g)];
    assert.deepEqual(
      guards.map(([, names]) => names),
      [guard, `${guard}, PostOwner`, guard, `${guard}, PostOwner`, `${guard}, PostOwner`],
    );
    const tags = read(app, "src/tags/tags.controller.ts");
    assert.equal(tags.split(`middlewares: [${guard}]`).length, 6);
    assert.equal(tags.split('access: "users"').length, 6);
  }
  for (const app of [web, full, fullSessions]) {
    const pages = read(app, "src/posts/posts.pages.ts");
    assert.equal(pages.match(/middlewares: \[RequireLogin\]/g)?.length, 3);
    assert.equal(pages.match(/middlewares: \[RequireLogin, PostOwner\]/g)?.length, 5);
    assert.doesNotMatch(read(app, "views/posts/form.eta"), /user_id/);
    assert.doesNotMatch(read(app, "src/posts/posts.service.ts"), /findChoices/);
    assert.match(read(app, "views/articles/form.eta"), /<input id="editor_id" name="editor_id"/); // no list of all users
  }
  for (const app of all) {
    assert.match(read(app, "src/posts/posts.dto.ts"), /Post\.omit\("id", "user_id", "created_at", "updated_at"\)/);
  }
  await checkStyle(all);
  await checkAudit(all);
  await checkTypes(folder, all);
  for (const app of isFull ? all : [full, sessions]) {
    const output = await runScriptOrFail(app, "test", [], { NODE_OPTIONS: "--test-isolation=none" });
    assert.match(output, /users admin creates an administrator once, and prints the password/);
    const usesTokens = app === api || app === full;
    if (usesTokens) assert.match(output, /registers, logs in and shows the user of the token/);
    else if (app !== web) assert.match(output, /a new role counts at once, for sessions that exist/);
    if (app !== web) {
      assert.match(output, usesTokens ? /responds with 401 without a token/ : /responds with 401 without a session/);
      assert.match(output, /responds to other users as if there were none/);
      for (const name of ["posts", "articles"])
        assert.match(output, new RegExp(`✔ gives users no way to the ${name} of`));
    }
    if (app === api || app === sessions) continue;
    assert.match(output, /registers, logs out and logs in again/);
    assert.match(output, /redirects visitors who are not logged in to the login/);
    assert.match(output, /shows other users nothing, and lets them change and delete nothing/);
  }
});

test("the generated access test fails without the policy, and names the route", async () => {
  const [, , , sessions = ""] = [...(await apps), ...(await sessionApps)];
  const file = "src/posts/posts.controller.ts";
  const before = read(sessions, file);
  const [start = "", end = ""] = before.split("readonly delete = ");
  writeFileSync(join(sessions, file), `${start}readonly delete = ${end.replace(", PostOwner]", "]")}`);
  const { code, stdout } = await runScript(sessions, "test", ["test/posts.access.test.ts"]);
  writeFileSync(join(sessions, file), before);
  assert.equal(code, 1);
  assert.match(stdout, /delete: posts\.delete \(DELETE \/posts\/\{id\}\) at :id, by bob/);
});

test("adds the dependency, allows its install script and imports the module", async () => {
  for (const app of await apps) {
    const manifest = JSON.parse(read(app, "package.json")) as Record<string, object>; // from the template
    assert.ok("@tenon/auth" in (manifest.dependencies ?? {}) && "bcrypt" in (manifest.allowScripts ?? {}));
    assert.equal("@tenon/fuzz" in (manifest.devDependencies ?? {}), existsSync(join(app, "src/main.api.ts")));
    assert.match(read(app, "src/app.module.ts"), /UsersModule/);
    assert.match(read(app, "src/database/schema.ts"), / {2}users: StoredUser;\n/);
  }
});

test("links login, registration and logout in the navigation, after the pages of resources", async () => {
  const [, web = "", full = ""] = await apps;
  for (const app of [web, full]) {
    const layout = read(app, "views/layout.eta");
    assert.match(
      layout,
      /<a href="\/articles">Articles<\/a>\n<% if \(page\.shared\.user\)[\s\S]*\/logout[\s\S]*\/login[\s\S]*<\/header>/,
    );
  }
  assert.match(read(web, "src/platform.ts"), /WebSessions, CurrentUser\],\n {4}share: shareUser,\n/);
  assert.match(read(full, "src/pages/pages.platform.ts"), /WebSessions, CurrentUser\]/);
});

test("logs a visitor in and lets only users write, in a running application", async () => {
  const [, web = ""] = await apps;
  await whileServing(web, "start", async (url) => {
    const cookies = new Map<string, string>();
    const open = async (path: string, form?: Readonly<Record<string, string>>, accept = "text/html") => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const sent = form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) };
      const response = await fetch(url + path, {
        ...sent,
        headers: { accept, cookie, origin: url },
        redirect: "manual",
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      return { status: response.status, location: response.headers.get("location"), html: await response.text() };
    };
    const tokenOf = async (path: string) => /name="_csrf" value="([^"]+)"/.exec((await open(path)).html)?.[1] ?? "";
    assert.equal((await open("/tags/new")).location, "/login?next=%2Ftags%2Fnew");
    const early = await open("/tags", { _csrf: await tokenOf("/login"), title: "First" });
    assert.equal(early.status, 401);
    const account = { _csrf: await tokenOf("/register"), email: "ada@example.com", password: "correct horse" };
    assert.equal((await open("/register?next=%2Ftags%2Fnew", account)).location, "/tags/new");
    assert.match((await open("/tags/new")).html, /ada@example\.com/);
    const post = await open("/posts", { _csrf: await tokenOf("/posts/new"), title: "Mine" });
    const { user_id } = JSON.parse((await open(post.location ?? "", undefined, "application/json")).html) as {
      user_id: string;
    }; // a column of every owned resource
    const created = await open("/tags", { _csrf: await tokenOf("/tags/new"), title: "First", author_id: user_id });
    assert.match(created.location ?? "", /^\/tags\/[\w-]+$/);
    for (const [accept, shown] of [
      ["text/html", "<h1>First</h1>"],
      ["application/json", '"title":"First"'],
    ] as const) {
      const main = (await open(created.location ?? "", undefined, accept)).html.replace(
        /<header>[\s\S]*<\/header>/,
        "",
      );
      assert.ok(main.includes(shown) && !main.includes("ada@example.com"), `the author's email is private: ${main}`);
    }
    assert.equal((await open("/logout", { _csrf: await tokenOf("/") })).location, "/");
    for (const path of ["/tags", "/tags/new"]) {
      assert.equal((await open(path)).location, `/login?next=${encodeURIComponent(path)}`);
    }
    assert.equal((await open(post.location ?? "")).location, `/login?next=${encodeURIComponent(post.location ?? "")}`);
  });
});

test("starts with resources that are named after the parts of a login", async () => {
  const [api = ""] = await apps;
  for (const name of ["login", "register", "token"]) {
    assert.equal((await runTool(api, "g", "resource", name)).code, 0);
  }
  await whileServing(api, "start", async (url) => {
    for (const path of ["/logins", "/registers", "/tokens"]) assert.equal((await fetch(url + path)).status, 401);
  });
});

test("does not start in production without JWT_SECRET", async () => {
  const [api = ""] = await apps;
  const { code, stderr } = await runScript(api, "start", [], { NODE_ENV: "production", PORT: "0", JWT_SECRET: "" });
  assert.equal(code, 1);
  assert.match(stderr, /^Cannot start: JWT_SECRET is not set/);
  assert.match(read(api, ".env.example"), /^#JWT_SECRET=$/m);
  assert.match(read(api, "compose.yaml"), /^ {6}JWT_SECRET: /m);
});

test("starts in production without JWT_SECRET where clients have sessions, and makes the first administrator", async () => {
  const [app = ""] = await sessionApps;
  assert.doesNotMatch(read(app, ".env.example") + read(app, "compose.yaml"), /JWT_SECRET/);
  const { code, stdout, stderr } = await runCommand("run", "users", "admin", "Ada@example.com", `--in=${app}`);
  assert.equal(code, 0, stderr);
  const password = /^email {5}ada@example\.com\nrole {6}admin\npassword {2}(\S+)\n$/.exec(stdout)?.[1];
  await whileServing(
    app,
    "start",
    async (url) => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ email: "ada@example.com", password });
      const login = await fetch(`${url}/auth/login`, { method: "POST", headers, body });
      const { role } = (await login.json()) as { role: string }; // from the service
      assert.deepEqual([login.status, role], [200, "admin"]);
    },
    { NODE_ENV: "production", JWT_SECRET: "" },
  );
});

test("reads no variable when the module of the application is imported", async () => {
  const env = { BCRYPT_COST: "high", JWT_SECRET: "short", SESSION_SECRET: "short", NODE_ENV: "production" };
  const source = ["--conditions=@tenon/source", "-e", 'import("./src/app.module.ts")'];
  for (const app of await apps) {
    const result = await run(process.execPath, source, { cwd: app, env });
    assert.deepEqual(result, { code: 0, stdout: "", stderr: "" });
  }
  const [api = ""] = await apps;
  const { code, stderr } = await runScript(api, "start", [], { ...env, PORT: "0" });
  assert.equal(code, 1);
  assert.match(stderr, /^Cannot start: 2 problems:\n.*JWT_SECRET must.*\n.*BCRYPT_COST is "high"/);
});

test("hashes passwords with the cost 12, unless BCRYPT_COST says otherwise", async () => {
  const json = { email: "eve@example.com", password: "correct horse" };
  const costOf = async (app: string, cost: string) => {
    const file = join(app, `data/cost-${cost}.db`);
    const env = { DATABASE_URL: `sqlite:${file}`, BCRYPT_COST: cost };
    await whileServing(
      app,
      "start",
      async (url) => {
        const headers = { "content-type": "application/json" };
        const sent = await fetch(`${url}/auth/register`, { method: "POST", headers, body: JSON.stringify(json) });
        assert.equal(sent.status, 201);
      },
      env,
    );
    return new DatabaseSync(file).prepare("SELECT password FROM users").get()?.password;
  };
  const [api = "", web = "", full = ""] = await apps;
  assert.match(String(await costOf(api, "")), /^\$2b\$12\$/);
  assert.match(String(await costOf(api, "10")), /^\$2b\$10\$/);
  assert.match(String(await costOf(full, "10")), /^\$2b\$10\$/);
  for (const app of [api, web, full]) {
    assert.match(read(app, ".env.example"), /^#BCRYPT_COST=12$/m);
    assert.match(read(app, "compose.yaml"), /^ {6}BCRYPT_COST: /m);
  }
});

/** Status codes of a request to a list and of one that creates, without a login. */
async function askAnonymously(app: string, path: string): Promise<number[]> {
  const statuses: number[] = [];
  await whileServing(app, "start", async (url) => {
    const headers = { "content-type": "application/json" };
    for (const init of [{}, { method: "POST", headers, body: '{"title":"First"}' }]) {
      statuses.push((await fetch(url + path, init)).status);
    }
  });
  return statuses;
}

test("g auth lists the routes of a resource from before, which are open until they are written as it says", async () => {
  await runTool(folder, "app", "--name=before", "--template=api", "--no-accounts");
  const app = join(folder, "before");
  symlinkSync(join(root, "node_modules"), join(app, "node_modules"));
  const { stdout } = await runTool(app, "g", "resource", "product");
  assert.match(
    stdout,
    /^The routes: everyone may read, create, change and delete all products, .*g auth first.*--public\.$/m,
  );
  const open = [
    ...["GET /products (ProductsController.index", "GET /products/:id (ProductsController.show"],
    ...["POST /products (ProductsController.create", "PATCH /products/:id (ProductsController.update"],
    "DELETE /products/:id (ProductsController.delete",
  ];
  const line = /^ {2}(\w+ \/.*), src\/products\/products\.controller\.ts:\d+\)$/gm;
  for (const generator of ["auth", "accounts"]) {
    const printed = (await runTool(app, "g", generator)).stdout;
    assert.match(
      printed,
      /^These routes are still open to everyone; write .* a guard and access: "users", or access: "public":$/m,
    );
    const listed = [...printed.matchAll(line)].map(([, route]) => route);
    assert.deepEqual(listed.toSorted(), open.toSorted(), printed);
    if (generator === "auth") assert.match(printed, /^ {2}middlewares: \[BearerAuth\], access: "users" /m);
  }
  const audit = await runCommand("routes", "--audit", `--in=${app}`);
  assert.equal(audit.code, 1);
  for (const method of ["POST", "PATCH", "DELETE"])
    assert.match(audit.stdout, new RegExp(`^no guard: ${method} /products`, "m"));
  assert.deepEqual(await askAnonymously(app, "/products"), [200, 201]);
  const edit = (path: string, before: string, after: string, imported: string) =>
    writeFileSync(join(app, path), imported + read(app, path).replaceAll(before, after));
  const guard = 'middlewares: [BearerAuth], access: "users", summary:';
  edit("src/products/products.controller.ts", "summary:", guard, 'import { BearerAuth } from "@tenon/auth";\n');
  const imported = 'import { AuthModule } from "../auth.module.ts";\n';
  edit("src/products/products.module.ts", "[DataModule]", "[DataModule, AuthModule]", imported);
  await checkAudit([app]);
  assert.deepEqual(await askAnonymously(app, "/products"), [401, 401]);
});

test("guards the resources of an application with users, unless they are public", async () => {
  const [app = ""] = await sessionApps;
  const guarded = await runTool(app, "g", "resource", "product");
  assert.match(
    guarded.stdout,
    /^The routes: users who log in may read, create, .* all products \(access: "users"\); .*--owner.*--public\.$/m,
  );
  const open = await runTool(app, "g", "resource", "opinion", "--public");
  assert.match(open.stdout, /^The routes: everyone may read, create, .* all opinions \(access: "public"\)/m);
  assert.deepEqual(await askAnonymously(app, "/products"), [401, 401]);
  assert.deepEqual(await askAnonymously(app, "/opinions"), [200, 201]);
  const listed = (await checkAudit([app])).filter((line) => !line.includes("/auth/"));
  assert.deepEqual(
    listed.map((line) => line.replace(/ \(.*/, "")),
    ["POST /opinions", "PATCH /opinions/:id", "DELETE /opinions/:id"].map((route) => `open to everyone: ${route}`),
  );
  const both = await runTool(app, "g", "resource", "idea", "--public", "--owner");
  assert.deepEqual([both.code, both.stdout], [2, ""]);
  assert.match(both.stderr, /--public and --owner exclude each other/);
});

test("--owner is refused in an application without users, and says what to run", async () => {
  await runTool(folder, "app", "--name=open", "--template=api");
  const { code, stderr } = await runTool(join(folder, "open"), "g", "resource", "note", "--owner");
  assert.equal(code, 1);
  assert.match(stderr, /--owner needs users who log in: run tenon g auth first; nothing was changed/);
  assert.ok(!existsSync(join(folder, "open/src/notes")));
});

test("refuses an application with users, and one without routes and pages", async () => {
  const [api = ""] = await apps;
  const twice = await runTool(api, "g", "auth");
  assert.equal(twice.code, 1);
  assert.match(twice.stderr, /src\/users exists already: nothing was changed/);
  await runTool(folder, "app", "--name=tool", "--template=cli");
  const { code, stderr } = await runTool(join(folder, "tool"), "g", "auth");
  assert.equal(code, 1);
  assert.match(stderr, /needs src\/main\.api\.ts or src\/main\.web\.ts/);
  assert.ok(!existsSync(join(folder, "tool/src/users")));
});

test("prints the lines to add to files that it cannot edit, and refuses pages without a platform", async () => {
  const place = temporaryFolder("unclear");
  await runTool(place, "app", "--name=site", "--template=web");
  const site = join(place, "site");
  const platform = "export function createPlatform() {\n  return web(options);\n}\n";
  writeFileSync(join(site, "src/platform.ts"), platform);
  writeFileSync(join(site, "views/layout.eta"), "<%~ it.body %>\n");
  const { code, stdout } = await runTool(site, "g", "auth");
  assert.equal(code, 0);
  assert.match(stdout, /src\/platform\.ts could not be edited[\s\S]*share: shareUser,\n/);
  assert.match(stdout, /views\/layout\.eta has no navigation to edit[\s\S]* {2}<a href="\/login">Log in<\/a>\n/);
  assert.equal(read(site, "src/platform.ts"), platform);
  await runTool(place, "app", "--name=service", "--template=api");
  const service = join(place, "service");
  const compose = read(service, "compose.yaml").replaceAll("REDIS_URL:", '"REDIS_URL":');
  writeFileSync(join(service, "compose.yaml"), compose);
  const secret = await runTool(service, "g", "auth");
  assert.match(
    secret.stdout,
    /compose\.yaml is unchanged\. Add to the environment of the application:\n {2}JWT_SECRET: /,
  );
  assert.equal(read(service, "compose.yaml"), compose);
  await runTool(place, "app", "--name=other", "--template=web");
  const other = join(place, "other");
  rmSync(join(other, "src/platform.ts"));
  const refused = await runTool(other, "g", "auth");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /src\/platform\.ts exports no function createPlatform: nothing was changed/);
  const resource = await runTool(other, "g", "resource", "post");
  assert.match(resource.stdout, /Note: no test of the pages: src\/platform\.ts exports no function createPlatform/);
  assert.ok(!existsSync(join(other, "test/posts.pages.test.ts")));
});
