import { readTemplate } from "../../templates.ts";
import { readIfPresent } from "../application.ts";
import { type HandlerKind, isForKinds, toKindsModel } from "../handler-kinds.ts";
import { findPagesRoot } from "../pages-root.ts";

export interface AuthVariant {
  /** Whether routes take the cookie of a session instead of a token. Pages always do. */
  readonly sessions: boolean;
  /** Whether the users have accounts: `tenon g accounts` changes the files of `tenon g auth`. */
  readonly accounts: boolean;
}

/** Applications with pages have a secret already, which signs the cookies. */
export function hasSessionSecret(folder: string): boolean {
  return /\breadSessionSecret\(/.test(readIfPresent(folder, "src/config.ts") ?? "");
}

/** The files of `tenon g auth`, as they are for this application. */
export async function readAuthFiles(
  folder: string,
  kinds: ReadonlySet<HandlerKind>,
  { sessions, accounts }: AuthVariant,
): Promise<Map<string, string>> {
  return readTemplate("module-auth", {
    isWanted: (path) => {
      if (path.endsWith("/code.eta") && !accounts) return false; // the second step of the login
      // `tenon run` runs the commands where no entry point does
      return path.includes("users.commands") || isForKinds(kinds, "resource", path);
    },
    model: {
      ...toKindsModel(kinds),
      sessions,
      accounts,
      root: findPagesRoot(folder),
      usesSessionSecret: hasSessionSecret(folder),
    },
  });
}
