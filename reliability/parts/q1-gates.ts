import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Figures, type Part } from "../part.ts";
import { judgeTests } from "../support/test-files.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** The plan allows no dependency of core; the design allows the logger. */
const allowedInCore = ["pino"];

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export const part: Part = {
  id: "Q1",
  title: "gates on the code: coverage of core, lint rules, dependencies",
  bar: "core: 97 % of the lines covered, no runtime dependency but the logger; no eval, new Function, Math.random, stray process.env or /g and /y validators; native dependencies pinned",
  needs: [],
  async run(options) {
    // CI lints, tests the rules and measures the coverage in steps of their own
    const figures = await (options.short ? new Figures() : judgeTests(["test/lint"], options, () => {}, "^lint"));
    figures.exactly("stateful expressions", findStatefulExpressions().length, 0);
    checkDependencies(figures);
    if (!options.short) {
      options.say("lint");
      figures.exactly("lint errors", succeeds("node_modules/.bin/biome", "lint") ? 0 : 1, 0);
      options.say("coverage of core");
      // by its own tests, and by the processes that they start
      figures.holds("core is covered", succeeds(process.execPath, "scripts/test.mjs", "--coverage", "packages/core/"));
    }
    return figures.done();
  },
};

function succeeds(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { cwd: root, stdio: "ignore" }).status === 0;
}

/** An expression with /g or /y keeps lastIndex: the same text can give another result the next time. */
function findStatefulExpressions(): string[] {
  // the tool's own scanner reads source text from a place that it sets, and validates nothing
  const files = globSync("{packages,apps}/*/src/**/*.ts", { cwd: root }).filter((file) => !/packages.tool/.test(file));
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const kept = text.match(/(?:const|readonly|static)\s+#?\w+\s*=\s*\/.+\/[dimsuv]*[gy][dgimsuvy]*;/g) ?? [];
    const used = text.match(/\/[dimsuv]*[gy][dgimsuvy]*\.(?:test|exec)\(/g) ?? [];
    return [...kept, ...used].map((found) => `${file}: ${found}`);
  });
}

function checkDependencies(figures: Figures): void {
  const manifests = globSync("packages/*/package.json", { cwd: root }).map(
    (file) => JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest, // npm reads it too
  );
  const foreign = ({ dependencies = {} }: Manifest) =>
    Object.keys(dependencies).filter((name) => !name.startsWith("@tenon/"));
  for (const manifest of manifests) figures.show(`dependencies of ${manifest.name}`, foreign(manifest).join(", ") || 0);
  const core = manifests.find(({ name }) => name === "@tenon/core");
  const extra = core === undefined ? ["core itself"] : foreign(core).filter((name) => !allowedInCore.includes(name));
  figures.exactly("core's beyond the logger", extra.length, 0);

  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<
      Record<string, { readonly version?: string; readonly integrity?: string; readonly dev?: boolean }>
    >;
  }; // npm wrote it
  const native = Object.entries(lock.packages).filter(
    ([path, { dev }]) =>
      dev !== true &&
      globSync("{binding.gyp,prebuilds/**/*.node}", { cwd: join(root, path) }).length > 0 &&
      path !== "",
  );
  const names = native.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")} ${version}`);
  figures
    .show("native", names.join(", ") || "none")
    .exactly("native without a pin", native.filter(([, { integrity }]) => integrity === undefined).length, 0)
    .note(
      "core has one runtime dependency, pino, as the design fixes; bcrypt is @tenon/auth's, prebuilt in its package",
    );
}
