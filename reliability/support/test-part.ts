import { Figures, type PartOptions } from "../part.ts";
import { runTestFiles, type TestRun } from "./test-files.ts";

/** A part that is a test file in its long form: its tests pass, and it adds what they counted. */
export async function judgeTests(
  files: readonly string[],
  options: PartOptions,
  add: (figures: Figures, run: TestRun) => void,
  name?: string,
): Promise<Figures> {
  const run = await runTestFiles(files, options, name);
  const figures = new Figures();
  add(figures, run);
  figures.show("tests", run.passed.length).exactly("failed", run.failed.length, 0);
  if (run.failed.length > 0) figures.note(`${run.failed.join(", ")}: ${run.output.slice(-600)}`);
  return figures.holds("tests ran", run.passed.length > 0);
}
