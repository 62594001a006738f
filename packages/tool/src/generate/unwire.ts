import { toPascal } from "../names.ts";
import { accountLinks, appModuleFile, layoutFile, pagesModuleFile, readIfPresent, schemaFile } from "./application.ts";
import { removeSecret } from "./auth-wiring.ts";
import type { Change } from "./changes.ts";
import { removeFromModule } from "./edit-module.ts";
import { removeFromPlatform } from "./edit-platform.ts";
import { removeTable } from "./edit-schema.ts";
import { findPagesRoot } from "./pages-root.ts";

/** The changes of files that name a module. */
export function unwireModule(folder: string, plural: string): Change[] {
  const pascal = toPascal(plural);
  const owner = new RegExp(`(\\w+) \\} from "\\.\\./${plural}/${plural}\\.owner\\.ts"`);
  const owners = owner.exec(readIfPresent(folder, pagesModuleFile) ?? "")?.slice(1) ?? [];
  const table = plural.replaceAll("-", "_");
  const link = new RegExp(`^<a href="/${plural}">.*</a>\\r?\\n`, "m");
  return [
    ...unwire(folder, appModuleFile, [`${pascal}Module`]),
    ...unwire(folder, pagesModuleFile, [`${pascal}Pages`, `${pascal}Service`, ...owners]),
    ...edit(folder, schemaFile, (text) => removeTable(text, table) ?? text, `without the table ${table}`),
    ...edit(folder, layoutFile, (text) => text.replace(link, ""), "unlinked"),
  ];
}

/** The changes that undo those of `tenon g auth`. A file that is not clear stays as it is. */
export function unwireAuth(folder: string): Change[] {
  const root = findPagesRoot(folder);
  return [
    ...unwire(folder, appModuleFile, ["UsersModule", "AuthModule"]),
    ...unwire(folder, pagesModuleFile, ["UsersPages", "UsersService", "AuthModule"]),
    ...edit(folder, schemaFile, (text) => removeTable(text, "users") ?? text, "without the table users"),
    ...(root === undefined
      ? []
      : edit(folder, root.platformFile, removeFromPlatform, "without CurrentUser, shareUser")),
    ...edit(folder, layoutFile, (text) => text.replace(accountLinks, ""), "unlinked"),
    ...[".env.example", "compose.yaml"].flatMap((path) => edit(folder, path, removeSecret, "without JWT_SECRET")),
  ];
}

/** The module of a part is the one in its folder. `unlive` are the modules that no longer need `LiveModule`. */
export function unwirePart(
  folder: string,
  className: string,
  removed: readonly Change[],
  unlive: readonly string[],
): Change[] {
  const place = removed.find(({ path }) => path.startsWith("src/"))?.path.split("/") ?? [];
  const file = place.length === 3 ? `src/${place[1]}/${place[1]}.module.ts` : appModuleFile;
  return [...new Set([file, ...unlive])].flatMap((path) =>
    unwire(folder, path, [...(path === file ? [className] : []), ...(unlive.includes(path) ? ["LiveModule"] : [])]),
  );
}

function unwire(folder: string, path: string, classes: readonly string[]): Change[] {
  const remove = (text: string) => classes.reduce((rest, name) => removeFromModule(rest, name) ?? rest, text);
  return edit(folder, path, remove, `without ${classes.join(", ")}`);
}

/** No change for a file that does not exist, or that stays as it is. */
function edit(folder: string, path: string, toEdited: (text: string) => string, note: string): Change[] {
  const before = readIfPresent(folder, path);
  const after = before === undefined ? undefined : toEdited(before);
  return after === before ? [] : [{ path, before, after, note }];
}
