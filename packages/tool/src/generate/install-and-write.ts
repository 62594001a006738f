import type { Installer } from "../scaffold/installer.ts";
import { checkMissing } from "./application.ts";
import { type Change, describeChange, type Wiring, write } from "./edit/changes.ts";
import type { Generation } from "./generator-flags.ts";

export interface Generated extends Generation {
  /** The files to create, by their paths. */
  readonly files: ReadonlyMap<string, string>;
  /** The change of package.json; none where it has all packages. */
  readonly manifest: readonly Change[];
  /** Changes of other files. */
  readonly wiring: readonly Wiring[];
  /** What to read after the changes. */
  readonly notes?: readonly string[];
  readonly summary?: string;
  /** What to do next, besides `npm install`. */
  readonly steps?: readonly string[];
}

/**
 * Installs packages, then writes: files that import what is not there would stop the application. Yields a line for each
 * step. When the installation fails, nothing has changed.
 */
export async function* installAndWrite(installer: Installer, generated: Generated): AsyncGenerator<string> {
  const { folder, files, manifest, wiring, notes = [], summary, steps = [], install, signal } = generated;
  for (const path of files.keys()) checkMissing(folder, path); // before an installation that would be in vain
  for (const change of install ? manifest : []) {
    yield "running  npm install\n";
    await installer.installWith(folder, change.after, signal);
    yield describeChange(change);
  }
  yield* write(folder, files, [...(install ? [] : manifest), ...wiring]);
  yield* notes;
  const left = [...(install ? [] : manifest.map(() => "npm install")), ...steps].map((step) => `  ${step}\n`);
  if (left.length > 0) yield `\n${summary === undefined ? "" : `${summary} `}Next:\n${left.join("")}`;
}
