import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";

export type Files = Readonly<Record<string, string>>;

/** A folder with these files, which is gone when the tests are done. */
export function temporaryViews(files: Files): string {
  const folder = join(mkdtempSync(join(tmpdir(), "tenon-views-")), "views");
  mkdirSync(folder);
  writeViews(folder, files);
  after(() => rmSync(dirname(folder), { recursive: true, force: true }));
  return folder;
}

export function writeViews(folder: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
