import { findRouteGuard, readIfPresent } from "../application.ts";
import { readAuthFiles } from "../auth/auth-files.ts";
import type { Wiring } from "../edit/changes.ts";
import { diffLines } from "../edit/line-diff.ts";
import type { HandlerKind } from "../handler-kinds.ts";

/**
 * The files of `tenon g auth` as they are with accounts. A file that was changed since it was generated is left alone,
 * and the lines that differ are printed.
 */
export async function toAuthChanges(folder: string, kinds: ReadonlySet<HandlerKind>): Promise<Wiring[]> {
  const sessions = findRouteGuard(folder) === "SessionAuth";
  const plain = await readAuthFiles(folder, kinds, { sessions, accounts: false });
  const wanted = await readAuthFiles(folder, kinds, { sessions, accounts: true });
  return [...wanted].flatMap(([path, after]): Wiring[] => {
    const generated = plain.get(path);
    const before = readIfPresent(folder, path);
    if (after === generated || after === before) return [];
    if (before === generated) return [{ path, before, after, note: "has accounts" }];
    const lines = diffLines(generated ?? "", after);
    if (before === undefined) return [{ byHand: `\n${path} is missing. With accounts it would change so:\n${lines}` }];
    return [{ byHand: `\n${path} differs from what g auth generates, and is unchanged. Change in it:\n${lines}` }];
  });
}
