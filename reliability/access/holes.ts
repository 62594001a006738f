import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runOrFail } from "../../test/support/run.ts";

/** A mistake in one of the applications, as a patch. */
export interface Hole {
  readonly name: string;
  /** The key in `applications`. */
  readonly application: string;
  readonly what: string;
  /** The finding that shows it. */
  readonly kind: string;
  readonly operation: string;
  /** Why no finding is expected. */
  readonly missed: string | undefined;
  readonly file: string;
}

const folder = fileURLToPath(new URL("./holes/", import.meta.url));

/** `<application>-<name>.patch`: a line that says what is wrong, `finds: <kind> <operation>`, and the patch. */
export const holes: readonly Hole[] = readdirSync(folder)
  .toSorted()
  .map((name) => {
    const text = readFileSync(folder + name, "utf8");
    const [, application = "", rest = ""] = /^([a-z]+)-(.+)\.patch$/.exec(name) ?? [];
    const [, what = "", kind = "", operation = ""] = /^(.+)\nfinds: (.+) (\S+)\n/.exec(text) ?? [];
    if (operation === "") throw new Error(`${name} does not begin with what it breaks and what is found`);
    const missed = /^missed: (.+)$/m.exec(text)?.[1];
    return { name: rest, application, what, kind, operation, missed, file: folder + name };
  });

/** Applies the patch to the sources in a folder, or fails where the lines that it changes, or those next to them, have changed. */
export async function dig({ file }: Hole, sources: string): Promise<void> {
  await runOrFail("git", ["apply", "-C1", file], { cwd: sources });
}
