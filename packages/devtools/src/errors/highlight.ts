import { escapeHtml } from "@tenon/web/platform";
import type { SourceExcerpt } from "../error-text/code-frame.ts";

/** What has a colour of its own, by its class. A comment and a template may have several lines. */
const kinds = {
  comment: /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(?<=^|\n)[ \t]+\*(?:[ \t/][^\n]*)?(?=\n|$)/,
  text: /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`/,
  pattern: /(?<=[=(,:;!&|?[{}]\s*|\breturn\s+)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/,
  number: /(?<![\w$])\d[\w.]*/,
  word: /(?<![\w$.#])(?:abstract|as|async|await|break|case|catch|class|const|continue|declare|default|delete|do|else|enum|export|extends|false|finally|for|from|function|get|if|implements|import|in|instanceof|interface|keyof|let|new|null|of|override|private|protected|public|readonly|return|satisfies|set|static|super|switch|this|throw|true|try|type|typeof|undefined|using|var|void|while|yield)(?![\w$])/,
};
const tokens = new RegExp(
  Object.entries(kinds)
    .map(([kind, { source }]) => `(?<${kind}>${source})`)
    .join("|"),
  "g",
);

/** Each line as HTML. Only code is coloured: a view is shown as it is. */
export function highlight({ file, lines }: SourceExcerpt): string[] {
  const text = lines.map((line) => line.text).join("\n");
  if (!/\.[cm]?[jt]sx?$/.test(file)) return escapeHtml(text).split("\n");
  let html = "";
  let end = 0;
  for (const { 0: token, index, groups = {} } of text.matchAll(tokens)) {
    const [kind = ""] = Object.entries(groups).find(([, found]) => found !== undefined) ?? [];
    html += escapeHtml(text.slice(end, index)) + toSpans(token, kind);
    end = index + token.length;
  }
  return (html + escapeHtml(text.slice(end))).split("\n");
}

/** A span ends with its line, because each line is an element. */
function toSpans(token: string, kind: string): string {
  return token
    .split("\n")
    .map((part) => `<span class="${kind}">${escapeHtml(part)}</span>`)
    .join("\n");
}
