import assert from "node:assert/strict";
import { test } from "node:test";
import { runOrFail } from "./support/run.ts";

const script = `
  import { Writable } from "node:stream";
  import { cli } from "@tenon/core/cli";
  import { api, createApp, defineModule, dto, HttpError, inject, Log, string } from "@tenon/core";
  const loaded = () => process.moduleLoadList.filter((name) => /\\b(?:http|https|http2|_http_\\w+|undici)\\b/.test(name));
  class Service {
    log = inject(Log);
    routes() {
      return [
        { path: "posts/list", handler: () => [{ title: "Hello" }] },
        { method: "GET", path: "/posts", handler: () => [] },
      ];
    }
  }
  const module = defineModule({ name: "app", declarations: [Service] });
  dto({ name: string("required") });
  new HttpError(404, "Not Found");
  const stdout = new Writable({ write: (chunk, encoding, done) => done() });
  const command = await createApp(module, cli({ name: "blog" }));
  const code = await command.execute(["posts", "list"], { stdin: process.stdin, stdout, stderr: stdout });
  await command.stop();
  const atFirst = [...loaded(), ...(code === 0 ? [] : ["the command failed"])];
  const app = await createApp(module, api(), { log: { level: "silent" } });
  await app.listen({ port: 0, signals: false });
  const withHttp = loaded();
  await app.stop();
  process.stdout.write(JSON.stringify({ atFirst, withHttp }));
`;

test("a command loads no HTTP code, with or without HTTP controllers", async () => {
  const args = ["--conditions=@tenon/source", "--input-type=module", "--eval", script];
  // as the script writes it
  const { atFirst, withHttp } = JSON.parse(await runOrFail(process.execPath, args)) as Record<string, string[]>;
  assert.deepEqual(atFirst, []);
  assert.ok(
    withHttp?.includes("NativeModule http"),
    "an application on HTTP loads it, so the list is not empty by mistake",
  );
});

const watching = `
  import { registerHooks } from "node:module";
  const files = [];
  registerHooks({ load: (url, context, next) => (files.push(url), next(url, context)) });
  const { cli } = await import("@tenon/core/cli");
  const { createApp, defineModule } = await import("@tenon/core");
  const module = defineModule({ name: "app", declarations: [] });
  await (await createApp(module, cli({ name: "blog" }))).stop();
  const ofPages = () => files.filter((url) => /\\/packages\\/web\\/|\\/eta\\//.test(url));
  const atFirst = ofPages();
  const { web } = await import("@tenon/web");
  const withPages = ofPages();
  const builtins = process.moduleLoadList.filter((name) => /\\b(?:http|https|http2|_http_\\w+|undici)\\b/.test(name));
  const views = { has: () => false, render: () => "" };
  await createApp(module, web({ views }), { log: { level: "silent" } });
  const withoutFolder = ofPages().filter((url) => url.includes("/eta/"));
  process.stdout.write(JSON.stringify({ atFirst, withPages, builtins, withoutFolder }));
`;

test("@tenon/core and commands load nothing of the web platform, and only a folder of views loads Eta", async () => {
  const args = ["--conditions=@tenon/source", "--input-type=module", "--eval", watching];
  // as the script writes it
  const { atFirst, withPages, builtins, withoutFolder } = JSON.parse(await runOrFail(process.execPath, args)) as Record<
    string,
    string[]
  >;
  assert.deepEqual(atFirst, []);
  assert.ok(
    withPages?.some((url) => url.endsWith("/web/src/web.ts")),
    "an application with pages does, so the list is not empty by mistake",
  );
  assert.deepEqual(builtins, [], "a controller that commands share may import view() and redirect()");
  assert.deepEqual(withoutFolder, []);
});
