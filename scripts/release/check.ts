import { readFileSync } from "node:fs";
import { checkPackage, createPackageFromTarballData, type Problem } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import type { Tarball } from "./pack.ts";

/** What is wrong with a packed package, in words: its entry points, and the types that they have for a consumer. */
export async function check({ name, file }: Tarball): Promise<string[]> {
  const data = new Uint8Array(readFileSync(file));
  const { messages, pkg } = await publint({ pack: { tarball: data.buffer }, strict: true });
  const lints = messages.map((message) => `${name}: ${formatMessage(message, pkg, { color: false })}`);
  const result = await checkPackage(createPackageFromTarballData(data));
  const problems = result.types === false ? [] : result.problems.filter(concernsUs);
  return [...lints, ...problems.map((problem) => `${name}: ${describe(problem)}`)];
}

/** The packages are ES modules without a fallback for the resolution of TypeScript before 4.7. */
function concernsUs(problem: Problem): boolean {
  if (problem.kind === "CJSResolvesToESM") return false; // Node loads ES modules with require() since 22.12
  return !("resolutionKind" in problem) || problem.resolutionKind !== "node10";
}

function describe(problem: Problem): string {
  const where = "entrypoint" in problem ? ` of ${problem.entrypoint} (${problem.resolutionKind})` : "";
  const file = "fileName" in problem ? ` in ${problem.fileName}` : "";
  return `the types are wrong: ${problem.kind}${where}${file}`;
}
