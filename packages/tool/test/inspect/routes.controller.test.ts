import assert from "node:assert/strict";
import { test } from "node:test";
import { createApplication, toDescribing } from "../support/described-app.ts";
import { createRealApp } from "../support/real-app.ts";
import { runCommand } from "../support/tool.ts";

const posts = { controller: "PostsController", declared: true, policies: [] };
const guarded = { ...posts, middlewares: ["BearerAuth", "rateLimit"], secured: true };
const routes = [
  { ...posts, method: "GET", path: "/posts", handler: "index", middlewares: [], secured: false },
  { ...guarded, method: "POST", path: "/posts", handler: "create" },
];
const folder = createApplication({
  "src/main.api.ts": toDescribing({ routes }),
  "src/open.ts": toDescribing({ routes: [{ ...routes[1], secured: false }, routes[0]] }),
  "src/main.cli.ts": toDescribing({
    platform: "cli",
    routes: [{ ...posts, path: "posts/list", handler: "list", middlewares: [] }],
  }),
});
const run = (...argv: string[]) => runCommand(...argv, `--in=${folder}`);

test("tenon routes prints a table", async () => {
  const { code, stdout } = await run("routes");
  assert.equal(code, 0);
  assert.deepEqual(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.trimEnd().split(/\s{2,}/))
      .filter((row) => row.length > 1),
    [
      ["method", "path", "handler", "middlewares"],
      ["GET", "/posts", "PostsController.index"],
      ["POST", "/posts", "PostsController.create", "BearerAuth, rateLimit"],
    ],
  );
});

test("tenon routes has a column for policies where there are some", async () => {
  const owned = createApplication({
    "src/main.ts": toDescribing({
      routes: [
        { ...guarded, method: "PUT", path: "/posts/:id", handler: "update", policies: ["post owner"] },
        ...routes,
      ],
    }),
  });
  const { stdout } = await runCommand("routes", `--in=${owned}`);
  assert.match(stdout, /^method +path +handler +middlewares +policies *\n/);
  assert.match(stdout, /^PUT .* BearerAuth, rateLimit +post owner *$/m);
});

test("tenon routes shows where handlers are written, relative to the application", async () => {
  const written = createApplication({
    "src/main.ts": toDescribing({
      routes: [
        { ...routes[0], file: "/elsewhere/posts.ts", line: 3 },
        { ...routes[1], secured: false, line: 12 },
      ],
    }).replace('"line":12', `"line":12,"file":process.cwd() + "/src/posts.ts"`),
  });
  const { stdout } = await runCommand("routes", `--in=${written}`);
  assert.match(stdout, /^GET .* \/elsewhere\/posts\.ts:3$/m);
  assert.match(stdout, /^POST .* src\/posts\.ts:12$/m);
  const audit = await runCommand("routes", "--audit", `--in=${written}`);
  assert.equal(audit.stdout, "no guard: POST /posts (PostsController.create, src/posts.ts:12)\n");
});

test("tenon routes --audit accepts the routes of --ignore, and refuses unknown ones", async () => {
  const open = ["routes", "--audit", "--entry=src/open.ts"];
  assert.deepEqual(await run(...open, "--ignore=POST /posts"), { code: 0, stdout: "no findings\n", stderr: "" });
  assert.deepEqual(await run(...open, "--ignore=POST /posts,POST /logn"), {
    code: 1,
    stdout: "",
    stderr: "tenon: --ignore: there is no route POST /logn\n",
  });
});

test("tenon routes --audit lists writes that are open on purpose, and succeeds", async () => {
  const login = { ...routes[0], method: "POST", path: "/login", handler: "login", access: "public" };
  const open = createApplication({ "src/main.ts": toDescribing({ routes: [login, ...routes] }) });
  const { code, stdout } = await runCommand("routes", "--audit", `--in=${open}`);
  assert.deepEqual([code, stdout], [0, "open to everyone: POST /login (PostsController.login)\nno findings\n"]);
  const json = await runCommand("routes", "--audit", "--json", `--in=${open}`);
  const listed = { finding: "open to everyone", route: "POST /login", handler: "PostsController.login" };
  assert.deepEqual(JSON.parse(json.stdout), { findings: [], open: [listed] });
});

test("tenon routes prints commands by their words", async () => {
  const { stdout } = await run("routes", "--entry=src/main.cli.ts");
  assert.match(stdout, /^command .*\n(?:.*\n)?posts\/list +PostsController\.list/i);
});

test("tenon routes --json prints the whole descriptions", async () => {
  assert.deepEqual(JSON.parse((await run("routes", "--json")).stdout), routes);
});

test("tenon routes --audit succeeds without findings, and fails with a list of them", async () => {
  assert.deepEqual(await run("routes", "--audit"), { code: 0, stdout: "no findings\n", stderr: "" });
  assert.deepEqual(JSON.parse((await run("routes", "--audit", "--json")).stdout), { findings: [], open: [] });
  const finding = { finding: "no guard", route: "POST /posts", handler: "PostsController.create" };
  assert.deepEqual(await run("routes", "--audit", "--entry=src/open.ts"), {
    code: 1,
    stdout: "no guard: POST /posts (PostsController.create)\n",
    stderr: "tenon: 1 finding\n",
  });
  const json = await run("routes", "--audit", "--json", "--entry=src/open.ts");
  assert.equal(json.code, 1);
  assert.deepEqual(JSON.parse(json.stdout), { error: "1 finding", findings: [finding], open: [] });
});

test("tenon routes --audit has no findings about the routes of the framework", async () => {
  const app = createRealApp({
    "src/main.api.ts": `import { api, createApp, defineModule } from "@tenon/core";
import { dataModule, HealthController } from "@tenon/data";

const DataModule = dataModule({ database: "sqlite::memory:" });
const AppModule = defineModule({ name: "app", imports: [DataModule], declarations: [HealthController] });
const app = await createApp(AppModule, api({ docs: { public: true } }));
app.routes.add({ method: "GET", path: "/own", handler: () => "own" });
await app.listen({ port: 0 });
`,
  });
  const { code, stdout, stderr } = await runCommand("routes", "--audit", `--in=${app}`);
  assert.equal(code, 1);
  assert.match(stdout, /^no contract: GET \/own \(.*, src\/main\.api\.ts:7\)\n$/);
  assert.equal(stderr, "tenon: 1 finding\n");
});

test("tenon routes --audit lists open sockets that receive messages, and no others", async () => {
  const app = createRealApp({
    "src/main.api.ts": `import { api, createApp, defineModule, dto, route } from "@tenon/core";
import { dataModule } from "@tenon/data";
import { liveModule, socket } from "@tenon/live";

const data = dataModule({ database: "sqlite::memory:" });
class Chat {
  readonly chat = route.get("/chat", socket({ receives: { say: dto({}) }, sends: {} }, { on: { say: () => {} } }));
  readonly news = route.get("/news", socket({ receives: {}, sends: {} }, { on: {} }));
  routes() {
    return [this.chat, this.news];
  }
}
await (await createApp(defineModule({ name: "app", imports: [data, liveModule(data)], declarations: [Chat] }), api())).listen();
`,
  });
  const { stdout } = await runCommand("routes", "--audit", `--in=${app}`);
  assert.match(stdout, /^no guard: GET \/chat \(.*\)\n$/);
});

test("tenon routes --audit asks for a policy of every id in a path", async () => {
  const app = createRealApp({
    "src/main.api.ts": `import { authModule, BearerAuth, Policy, requireRole, requireScope } from "@tenon/auth";
import { api, createApp, defineModule, route } from "@tenon/core";
import { dataModule } from "@tenon/data";

class Member extends Policy {
  readonly name: string = "member";
  readonly missing = 404;
  readonly denied = 404;
  override readonly param: string = "organisation";
  load() {
    return {};
  }
  allow() {
    return true;
  }
}
class Ticket extends Member {
  override readonly param = "ticket";
}
class TicketOfOrganisation extends Ticket {
  override readonly covers = ["organisation"];
}
const declared = [Member, Ticket, TicketOfOrganisation];
const tickets = route.under("/organisations/:organisation/tickets/:ticket", { middlewares: [BearerAuth] });
class Tickets {
  routes() {
    return [
      route.get("/organisations/:organisation", { middlewares: [BearerAuth, Member] }, () => {}),
      tickets.get("", { middlewares: [Member] }, () => {}),
      tickets.put("", { middlewares: [Member, Ticket] }, () => {}),
      tickets.patch("", { middlewares: [TicketOfOrganisation] }, () => {}),
      tickets.delete("", { middlewares: [requireRole("admin")] }, () => {}),
      tickets.post("", { middlewares: [requireScope("tickets:write")] }, () => {}),
      route.get("/files/*", { middlewares: [BearerAuth] }, () => {}),
      route.delete("/files/*", { middlewares: [BearerAuth] }, () => {}),
    ];
  }
}
const stores = dataModule({ database: "sqlite::memory:" });
const auth = authModule(stores, { secret: "a secret of the tests, with 32 b" });
const AppModule = defineModule({ name: "app", imports: [stores, auth], declarations: [Tickets, ...declared] });
await (await createApp(AppModule, api())).listen({ port: 0 });
`,
  });
  const { stdout } = await runCommand("routes", "--audit", `--in=${app}`);
  assert.deepEqual(stdout.match(/^no policy .*(?= \()/gm), [
    "no policy for :ticket: GET /organisations/:organisation/tickets/:ticket",
    "no policy for :organisation, :ticket: POST /organisations/:organisation/tickets/:ticket",
    "no policy for *: DELETE /files/*",
  ]);
});
