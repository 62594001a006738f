import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { root, runOrFail } from "../../../../test/support/run.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { runTool } from "./tool.ts";

const isFull = process.env.TENON_FULL === "1";

/** A new application with both kinds of module. The long form of the tests installs it from the registry. */
export async function generateApp(template: string): Promise<string> {
  const folder = temporaryFolder(`generated-${template}`);
  const app = join(folder, "my-shop");
  for (const result of [
    await runTool(folder, "app", "--name=my-shop", `--template=${template}`),
    await runTool(app, "g", "module", "--name=blog-post", "--type=resource"),
    await runTool(app, "generate", "module", "--name=person", "--type=plain"),
  ]) {
    assert.equal(result.code, 0, result.stderr);
  }
  if (isFull) await runOrFail("npm", ["install"], { cwd: app });
  else symlinkSync(join(root, "node_modules"), join(app, "node_modules"));
  return app;
}

/** Lints and formats by the rules of the workspace, as far as they are not about its own folders. */
export async function checkStyle(app: string): Promise<void> {
  const config = JSON.parse(readFileSync(join(root, "biome.json"), "utf8")) as Record<string, unknown>; // biome reads it too
  const [environment] = config.overrides as { includes: string[] }[]; // the first is about process.env
  assert.ok(environment !== undefined);
  assert.ok(environment.includes.includes("apps/*/src/config.ts"));
  const includes = environment.includes.map((glob) => glob.replace("apps/*/", "**/"));
  const own = { ...config, vcs: { enabled: false }, plugins: [], overrides: [{ ...environment, includes }] };
  const files = { includes: ["**", "!**/package-lock.json", "!**/node_modules"] };
  const above = dirname(app); // beside the application, which is looked at as it was made
  writeFileSync(join(above, "biome.json"), JSON.stringify({ ...own, files }));
  await runOrFail(join(root, "node_modules/.bin/biome"), ["check", "--error-on-warnings", basename(app)], {
    cwd: above,
  });
}

/** `npm start` on a free port until the work is done. */
export async function whileServing(app: string, work: (url: string) => Promise<void>): Promise<void> {
  const child = spawn("npm", ["start"], {
    cwd: app,
    env: { ...process.env, PORT: "0", LOG_LEVEL: "info" },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true, // npm and the application are stopped together
  });
  const ended = once(child, "close");
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /listening on (http:\/\/[\d.:]+)/.exec(line)?.[1];
      if (url === undefined) continue;
      child.stdout.resume(); // what it logs later must not fill the pipe
      await work(url);
      return;
    }
    assert.fail("the application ended without listening");
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await ended;
  }
}
