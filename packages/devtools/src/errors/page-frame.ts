import { createHash } from "node:crypto";
import { toPlainPage, toPlainPolicy } from "@tenon/web/platform";

const style = `
:root { --dim: #5d6672; --box: #f3f5f7; --line: #d8dde3; --hit: #ffe9e6; --word: #8250a4; --text: #1a6e3c; --number: #0b5394; }
@media (prefers-color-scheme: dark) { :root { --dim: #a3adb9; --box: #1f242a; --line: #353c45; --hit: #4a2320; --word: #cfa8f0; --text: #8fd6a4; --number: #8ec5ff; } }
h2 { margin: 2.25rem 0 .6rem; font-size: 1.05rem; overflow-wrap: anywhere; }
section > p { white-space: pre-wrap; }
main > .dim:last-child { margin-top: 2.25rem; }
.dim { color: var(--dim); }
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
@media (max-width: 40rem) { th { width: 35%; } }
`;

/** Copies the text of the page. Written into it, because an error page must not need another request. */
const copyScript = `
document.querySelector("button").addEventListener("click", async ({ currentTarget }) => {
  await navigator.clipboard.writeText(document.querySelector("textarea").value);
  currentTarget.textContent = "Copied";
});
`;

const scriptHash = createHash("sha256").update(copyScript).digest("base64");

/** Allows the style and the script of the page, and what reloads it: the `LiveReload` of the web platform. */
export const developerPagePolicy: string = toPlainPolicy(style, [
  `script-src 'self' 'sha256-${scriptHash}'`,
  "connect-src 'self'",
]);

/** `body` has one button, which copies the text of its one textarea. */
export function toFramedPage(title: string, body: string): string {
  return toPlainPage(title, `${body}\n<script>${copyScript}</script>`, style);
}
