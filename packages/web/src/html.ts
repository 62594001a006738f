import { createHash } from "node:crypto";

const codes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as HTML, between tags and inside quoted attributes. */
export function escapeHtml(text: unknown): string {
  return String(text).replaceAll(/[&<>"']/g, (character) => codes[character] as string); // the pattern matches no other
}

const style = `
:root { color-scheme: light dark; --ink: #1d2126; --dim: #5d6672; --paper: #fff; --box: #f3f5f7; --line: #d8dde3; --hit: #ffe9e6; --accent: #b3261e; --word: #8250a4; --text: #1a6e3c; --number: #0b5394; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7eaee; --dim: #a3adb9; --paper: #16191d; --box: #1f242a; --line: #353c45; --hit: #4a2320; --accent: #ff8a80; --word: #cfa8f0; --text: #8fd6a4; --number: #8ec5ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 3rem 1.25rem; }
main.small { max-width: 34rem; padding-top: 18vh; }
h1 { margin: 0 0 .5rem; font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2.25rem 0 .6rem; font-size: 1.05rem; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
h1, section > p { white-space: pre-wrap; }
main > .dim:last-child { margin-top: 2.25rem; }
.status { color: var(--accent); font-weight: 600; }
.dim { color: var(--dim); }
a { color: inherit; }
pre { margin: 0; padding: .75rem 0; overflow-x: auto; background: var(--box); border: 1px solid var(--line); border-radius: 6px; font: .85rem/1.6 ui-monospace, monospace; tab-size: 2; }
pre > span { display: block; padding: 0 1rem; }
pre > .hit { background: var(--hit); }
.word { color: var(--word); }
.text, .pattern { color: var(--text); }
.number { color: var(--number); }
.comment { color: var(--dim); }
.tools > * { margin-right: 1rem; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { padding: .35rem .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { width: 14rem; font-weight: 500; color: var(--dim); }
td { white-space: pre-wrap; }
details { margin: 0 0 .6rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
summary code { font: .9rem ui-monospace, monospace; }
details > pre, details > p { margin-top: .4rem; }
details.others > summary { color: var(--dim); font-size: .9rem; }
.hint { padding: .75rem 1rem; background: var(--box); border-left: 4px solid var(--accent); border-radius: 6px; }
button { padding: .35rem .8rem; border: 1px solid var(--line); border-radius: 6px; background: var(--box); color: inherit; font: inherit; font-size: .9rem; cursor: pointer; }
textarea { display: block; width: 100%; height: 16rem; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 6px; background: var(--box); color: inherit; font: .85rem/1.6 ui-monospace, monospace; }
@media (max-width: 40rem) { main { padding: 1.5rem 1rem; } th { width: 35%; } }
`;

/** Copies the text of the page. Written into it, because an error page must not need another request. */
export const copyScript = `
document.querySelector("button").addEventListener("click", async ({ currentTarget }) => {
  await navigator.clipboard.writeText(document.querySelector("textarea").value);
  currentTarget.textContent = "Copied";
});
`;

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const nothingElse = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Allows this style by its hash and nothing else: the application's own policy would block it. */
export const plainPagePolicy = `default-src 'none'; style-src ${hashOf(style)}; ${nothingElse}`;

/** Also allows the script of the page itself, and that of `LiveReload`. */
export const developerPagePolicy = `default-src 'none'; style-src ${hashOf(style)}; script-src 'self' ${hashOf(copyScript)}; connect-src 'self'; ${nothingElse}`;

/** Adds elements at the end of a page. Leaves a part of a page as it is, because scripts insert it into another one. */
export function addToPage(html: string, elements: string): string {
  const end = html.search(/<\/body>(?![\s\S]*<\/body>)/i);
  if (end >= 0) return `${html.slice(0, end)}${elements}${html.slice(end)}`;
  return /^\s*<(?:!doctype|html)\b/i.test(html) ? `${html}${elements}` : html;
}

/** A page that needs no view and no file. `body` is HTML. */
export function toPlainPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}
