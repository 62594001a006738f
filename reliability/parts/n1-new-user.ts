import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findOldNode } from "../../test/support/old-node.ts";
import { Figures, type Part } from "../part.ts";
import { NewUser } from "../support/new-user.ts";
import { OwnRegistry } from "../support/own-registry.ts";

const templates = ["api", "web", "cli", "full"] as const;
/** Most commands from an empty folder to a response: npm create, cd, npm start. */
const mostCommands = 3;
const mostSeconds = 60;
/** The size of an API without a linter, on a machine with a recent Node. */
const mostMegabytes = 120;

export const part: Part = {
  id: "N1",
  title: "a new user, from a registry",
  bar: "packed packages on a registry on loopback, each template in a folder with a space and an umlaut: npm create, cd, npm start; first 200 within 60 s with a warm cache, at most 3 commands; then npm test, npm run dev and npx tenon; an API without a linter at most 120 MB on disk; where the machine has an older Node, the command that is printed there, then npm ci, npm start and npm test",
  needs: [],
  alone: true,
  fullOnly: true,
  async run({ short, say }) {
    const figures = new Figures();
    const folder = mkdtempSync(join(tmpdir(), "tenon-new-user-"));
    say("installing the registry");
    const registry = await OwnRegistry.make(join(folder, "registry"));
    try {
      say("publishing the packages");
      const said = await registry.publish();
      const packages = readdirSync(join(import.meta.dirname, "../../packages")).length;
      figures.exactly("packages", said.match(/^\S+ \S+: \d+ files/gm)?.length ?? 0, packages);
      const wanted = short ? templates.slice(0, 1) : templates;
      const place = join(folder, "Mein Lädchen");
      say("warming npm's cache");
      await new NewUser(join(place, "warm"), registry.environment()).create(
        "shop",
        `--template=${short ? "api" : "full"}`,
      );
      for (const template of wanted) {
        say(`template ${template}`);
        const { seconds, commands, megabytes } = await tryTemplate(
          join(place, template),
          template,
          registry.environment(),
        );
        figures
          .inTime(`${template}: seconds`, seconds, mostSeconds)
          .atMost(`${template}: commands`, commands, mostCommands)
          .show(`${template}: MB`, megabytes);
      }
      say("without a linter");
      const bare = await new NewUser(join(place, "bare"), registry.environment()).create("shop", "--no-lint");
      figures.atMost("api --no-lint: MB", await bare.size(), mostMegabytes);
      const old = findOldNode();
      if (old === undefined) figures.note("the machine has no Node that is too old");
      else {
        say("an older Node");
        figures.show("older Node: MB", await tryOldNode(join(place, "old"), registry.environment(old)));
      }
      return figures.done();
    } finally {
      await registry.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function tryTemplate(place: string, template: (typeof templates)[number], env: Readonly<Record<string, string>>) {
  const started = performance.now();
  const user = await new NewUser(place, env).create("shop", `--template=${template}`);
  const at = template === "cli" ? await greet(user) : await user.serve("/", "npm", "start");
  const figures = { seconds: (at - started) / 1000, commands: user.commands.length, megabytes: await user.size() };
  assert.match(await user.type("npm", "test"), /^ℹ fail 0$/m);
  if (template !== "cli") await user.serve("/", "npm", "run", "dev");
  await user.type("npm", "run", "types");
  await user.type("npx", "tenon", "g", "module", "--name=post", "--type=resource");
  assert.match(await user.type("npm", "test"), /^ℹ fail 0$/m);
  return figures;
}

/** Does what the message on a Node that is too old says. The application has a Node of its own, and works on the older. */
async function tryOldNode(place: string, env: Readonly<Record<string, string>>): Promise<number> {
  const newcomer = new NewUser(place, env);
  const refusal = await newcomer.fail("npm", "create", "tenon@latest", "shop");
  const command = /^ {2}(npx -y .+)$/m.exec(refusal)?.[1] ?? assert.fail(refusal);
  const user = await newcomer.createWith(command.split(" "), "shop");
  await user.type("npm", "ci");
  await user.serve("/", "npm", "start");
  assert.match(await user.type("npm", "test"), /^ℹ fail 0$/m);
  return user.size();
}

/** An application of commands has no response: its greeting takes the place of it. */
async function greet(user: NewUser): Promise<number> {
  assert.match(await user.type("npm", "start"), /Hello, World!/);
  return performance.now();
}
