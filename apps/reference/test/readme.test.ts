import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withFolder } from "../../../packages/data/test/support/services.ts";
import type { LoginResponse } from "../src/auth/auth.service.ts";
import type { Post } from "../src/posts/post.ts";
import { withFreshBlog } from "./support/blog.ts";
import { assertError, type Client } from "./support/client.ts";
import { asPages } from "./support/pages.ts";
import { textOf, withServer } from "./support/processes.ts";
import { storages } from "./support/storages.ts";

const source = (path: string) => new URL(`../${path}`, import.meta.url);
const readme = readFileSync(source("README.md"), "utf8");
const blocks = [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = "", text = ""]) => ({
  language,
  text,
}));

/** Every command, and the output shown below it. */
const session = blocks.flatMap(({ language, text }, index) => {
  const next = blocks[index + 1];
  return language === "sh" ? [{ command: text, shown: next?.language === "json" ? next.text : "" }] : [];
});

/** The first cells of the rows below a heading, without their quotes. */
function tableUnder(heading: string): string[][] {
  const section = readme.split(/^##+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(1).map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")));
}

/** The same shape and values; "…" in a shown text matches values that change. */
function assertShown(actual: unknown, shown: unknown): void {
  if (typeof shown === "string" && shown.includes("…")) {
    const [start = "", end = ""] = shown.split("…");
    assert.ok(typeof actual === "string" && actual.length > 20, String(actual));
    assert.ok(actual.startsWith(start) && actual.endsWith(end), `${actual} is shown as ${shown}`);
  } else if (typeof shown === "object" && shown !== null && typeof actual === "object" && actual !== null) {
    assert.deepEqual(Object.keys(actual), Object.keys(shown));
    const values: unknown[] = Object.values(actual);
    for (const [index, value] of Object.values(shown).entries()) assertShown(values[index], value);
  } else assert.deepEqual(actual, shown);
}

/** Runs the commands in one shell, as a reader who copies them one by one. */
async function runInShell(commands: readonly string[], folder: string): Promise<string[]> {
  const mark = "-- next --";
  const script = commands.map((command) => `${command}\nprintf '%s' '${mark}'\n`).join("");
  const shell = spawn("sh", ["-eu"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  shell.stdin.end(script);
  const exit = once(shell, "exit");
  const output = await textOf(shell.stdout);
  assert.deepEqual(await exit, [0, null]);
  return output.split(mark).slice(0, -1);
}

const hasCurl = spawnSync("curl", ["--version"]).status === 0;
if (!hasCurl && process.env.REQUIRE_SERVICES === "1") throw new Error("REQUIRE_SERVICES is set and there is no curl");
if (!hasCurl) process.stdout.write("left out: the README's curl session (there is no curl on this machine)\n");
else {
  test("the README's curl session runs as written and prints the output that it shows", async () => {
    assert.equal(session.length, 9);
    await withFolder(async (folder) => {
      const env = { DATABASE_URL: `sqlite:${join(folder, "blog.db")}`, BCRYPT_COST: "10" };
      await withServer("src/main.api.ts", env, async ({ client }) => {
        const commands = session.map(({ command }) => command.replaceAll("http://127.0.0.1:8080", client.url));
        assert.ok(commands.every((command) => command.includes(client.url)));
        const outputs = await runInShell(commands, folder);
        assert.equal(outputs.length, session.length);
        for (const [index, { shown }] of session.entries()) {
          const output = outputs[index] ?? "";
          if (shown === "") assert.equal(output, "");
          else assertShown(JSON.parse(output), JSON.parse(shown));
        }
      });
    });
  });
}

test("the README's one line for the owner policy restricts changes to the author", async () => {
  const main = blocks.find(({ language }) => language === "ts")?.text ?? "";
  await withFolder(async (folder) => {
    const file = join(folder, "main.ts");
    writeFileSync(file, main.replaceAll('from "./', `from "${source("src/")}`));
    const env = { DATABASE_URL: `sqlite:${join(folder, "blog.db")}`, BCRYPT_COST: "10" };
    const register = async (client: Client, email: string) => {
      const input = { email, password: "correct horse", name: "Ada" };
      return (await client.post<LoginResponse>("/auth/register", input)).body.token;
    };
    await withServer(file, env, async ({ client }) => {
      const token = await register(client, "ada@example.com");
      const other = await register(client, "eve@example.com");
      const { body } = await client.post<Post>("/posts", { title: "t", content: "c" }, { token });
      const path = `/posts/${body.id}`;
      assertError(await client.call("DELETE", path, { token: other }), 403, "Forbidden");
      assert.equal((await client.call("DELETE", path, { token })).status, 204);
    });
  });
});

test("the README lists exactly the endpoints, each with its guard", async () => {
  const guards: Readonly<Record<string, string>> = {
    BearerAuth: "bearer",
    SessionAuth: "session",
    ApiKeyAuth: "API key",
  };
  const [sqlite] = storages;
  assert.ok(sqlite !== undefined);
  const routes = await withFreshBlog(sqlite, async ({ app }) => app.routes.list());
  const expected = routes.map(({ method, path, middlewares }) => [
    method,
    path,
    middlewares.flatMap((name) => guards[name] ?? []).join(),
  ]);
  const listed = tableUnder("Endpoints").map(([, method, path, guard]) => [method, path, guard]);
  assert.deepEqual(listed.toSorted(), expected.toSorted());
});

test("the README lists exactly the pages, each with its audience", async () => {
  const guards: Readonly<Record<string, string>> = {
    RequireLogin: "logged in",
    OwnPost: "author",
    PageLogin: "logged in",
    RecentPageLogin: "recent login",
    OwnSession: "own session",
    OwnApiKey: "own key",
  };
  const [sqlite] = storages;
  assert.ok(sqlite !== undefined);
  const routes = await withFreshBlog(sqlite, async ({ app }) => app.routes.list(), asPages);
  const expected = routes
    .filter(({ path }) => !path.startsWith("/assets/"))
    .map(({ method, path, middlewares }) => [
      method,
      path,
      middlewares.flatMap((name) => guards[name] ?? []).at(-1) ?? "",
    ]);
  const listed = tableUnder("Pages").map(([, method, path, guard]) => [method, path, guard]);
  assert.deepEqual(listed.toSorted(), expected.toSorted());
});

test("the README lists every variable that the configuration reads", () => {
  const config = readFileSync(source("src/config.ts"), "utf8");
  const read = [...config.matchAll(/^ {4}([A-Z_]+): /gm)].map(([, name]) => name);
  const named = tableUnder("Configuration").map(([, name]) => name);
  // the framework reads LOG_LEVEL itself, and NODE_ENV is described with JWT_SECRET
  assert.deepEqual(new Set([...named, "NODE_ENV"]), new Set([...read, "LOG_LEVEL"]));
});
