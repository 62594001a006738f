import type { Place } from "./stack-frame.ts";

/**
 * A link that opens a place in an editor. `editor` is the scheme of an editor that takes `scheme://file/path:line:column`,
 * such as vscode, vscodium, cursor, windsurf and zed, or a URL with {file}, {line} and {column}. `none` disables links.
 */
export function toEditorUrl({ file, line, column = 1 }: Place, editor = "vscode"): string | undefined {
  if (editor === "none") return undefined;
  const path = file.replaceAll("\\", "/").replace(/^(?!\/)/, "/"); // C:\src → /C:/src
  const url = editor.includes("{file}") ? editor : `${editor}://file{file}:{line}:{column}`;
  const values: Readonly<Record<string, string>> = {
    file: encodeURI(path).replaceAll(/[?#&]/g, encodeURIComponent),
    line: String(line),
    column: String(column),
  };
  const link = url.replaceAll(/\{(file|line|column)\}/g, (_, name: string) => values[name] ?? "");
  return URL.canParse(link) && new URL(link).protocol !== "javascript:" ? link : undefined;
}
