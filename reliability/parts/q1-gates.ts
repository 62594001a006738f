import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { works } from "../needs.ts";
import type { Figures, Part } from "../part.ts";
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
  bar: "core: 100 % of lines and branches, no runtime dependency but the logger; no eval, new Function, Math.random, stray process.env or /g and /y validators; native dependencies pinned",
  needs: [],
  async run(options) {
    // the rules themselves are tested with code that breaks them
    const figures = await judgeTests(["test/lint"], options, () => {}, "^lint");
    options.say("lint");
    figures.exactly("lint errors", works(join(root, "node_modules/.bin/biome"), "lint", root) ? 0 : 1, 0);
    figures.exactly("stateful expressions", findStatefulExpressions().length, 0);
    checkDependencies(figures);
    if (options.short) figures.note("coverage is measured in the full form; npm run coverage has a gate of its own");
    else {
      options.say("coverage of core");
      measureCoverage(figures);
    }
    return figures.done();
  },
};

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

/** The coverage of core by its own tests, and by the processes that they start. */
function measureCoverage(figures: Figures): void {
  const folder = mkdtempSync(join(tmpdir(), "tenon-coverage-"));
  const report = join(folder, "lcov");
  const files = globSync("packages/core/test/**/*.test.ts", { cwd: root });
  const { status } = spawnSync(
    process.execPath,
    [
      "--conditions=@tenon/source",
      "--import",
      "./scripts/short-connections.mjs",
      "--test",
      "--test-isolation=none",
      "--experimental-test-coverage",
      "--test-coverage-include=packages/core/src/**/*.ts",
      "--test-reporter=lcov",
      `--test-reporter-destination=${report}`,
      ...files,
    ],
    { cwd: root, stdio: "ignore" },
  );
  const text = readFileSync(report, "utf8");
  rmSync(folder, { recursive: true });
  const sum = (kind: string) =>
    [...text.matchAll(new RegExp(`^${kind}:(\\d+)$`, "gm"))].reduce((total, match) => total + Number(match[1]), 0);
  figures
    .exactly("tests of core failed", status === 0 ? 0 : 1, 0)
    .show("lines", sum("LF"))
    .exactly("lines not run", sum("LF") - sum("LH"), 0)
    .show("branches", sum("BRF"))
    .exactly("branches not taken", sum("BRF") - sum("BRH"), 0);
}
