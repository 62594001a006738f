import type { ReleaseSettings } from "./settings.ts";

/** The reasons not to publish. `status` is the output of `git status --porcelain`. */
export function findObstacles(settings: ReleaseSettings, status: string): string[] {
  return [
    ...(settings.repository === undefined ? ["fill in the repository in scripts/release/settings.ts"] : []),
    ...(status === "" ? [] : [`commit or remove these changes:\n${status.trimEnd()}`]),
  ];
}
