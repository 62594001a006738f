import assert from "node:assert/strict";
import { test } from "node:test";
import { createRealApp, shopFiles } from "../support/real-app.ts";
import { runCommand } from "../support/tool.ts";

/** Its only entry point serves HTTP. */
const folder = createRealApp({
  "src/main.api.ts": shopFiles["src/main.api.ts"] ?? "",
  "src/app.module.ts": `import { boolean, defineModule, dto, route } from "@tenon/core";

const Greet = dto({ loud: boolean() });
class Commands {
  routes() {
    const greet = route.command("greet/:name", { summary: "Greet someone", query: Greet }, (ctx, { query }) => {
      return { text: query.loud === true ? ctx.param("name").toUpperCase() : ctx.param("name") };
    });
    return [greet, route.get("/greet", () => "over HTTP")];
  }
}
export const AppModule = defineModule({ name: "app", declarations: [Commands] });
`,
});

test("run runs a command of an application whose entry point serves HTTP, and passes on flags after --", async () => {
  const run = (...words: readonly string[]) => runCommand("run", `--in=${folder}`, ...words);
  const [listed, plain, flags, unknown, nothing, help] = await Promise.all([
    run(),
    run("greet", "Ada", "--json"),
    run("--", "greet", "Ada", "--loud"),
    run("greets", "Ada"),
    run("nothing"),
    run("--", "greet", "--help"),
  ]);
  assert.match(
    listed.stdout,
    /^Usage: tenon run -- <command> \[flags\]\n\nCommands:\n {2}greet <name> {2}Greet someone\n/,
  );
  assert.deepEqual(plain, { code: 0, stdout: '{"text":"Ada"}\n', stderr: "" });
  assert.deepEqual(flags, { code: 0, stdout: "text  ADA\n", stderr: "" });
  assert.equal(unknown.code, 1);
  assert.equal(unknown.stderr, 'tenon: unknown command "greets Ada". Did you mean "greet"?\n');
  assert.equal(nothing.stderr, 'tenon: unknown command "nothing". tenon run -- --help lists the commands.\n');
  assert.match(help.stdout, /\nUsage: tenon run -- greet <name> \[flags\]\n/);
});
