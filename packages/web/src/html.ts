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
:root { color-scheme: light dark; --ink: #1d2126; --paper: #fff; --accent: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7eaee; --paper: #16191d; --accent: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 3rem 1.25rem; }
main.small { max-width: 34rem; padding-top: 18vh; }
h1 { margin: 0 0 .5rem; font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; }
h1 { white-space: pre-wrap; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
.status { color: var(--accent); font-weight: 600; }
a { color: inherit; }
@media (max-width: 40rem) { main { padding: 1.5rem 1rem; } }
`;

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/**
 * The policy of such a page: the application's own would block its style, which is allowed by its hash. `directives` are
 * those of what the body needs.
 */
export function toPlainPolicy(moreStyle = "", directives: readonly string[] = []): string {
  const all = ["default-src 'none'", `style-src ${hashOf(style + moreStyle)}`, ...directives];
  return [...all, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join("; ");
}

/** Adds elements at the end of a page. Leaves a part of a page as it is, because scripts insert it into another one. */
export function addToPage(html: string, elements: string): string {
  const end = html.search(/<\/body>(?![\s\S]*<\/body>)/i);
  if (end >= 0) return `${html.slice(0, end)}${elements}${html.slice(end)}`;
  return /^\s*<(?:!doctype|html)\b/i.test(html) ? `${html}${elements}` : html;
}

/** A page that needs no view and no file. `body` is HTML. */
export function toPlainPage(title: string, body: string, moreStyle = ""): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}${moreStyle}</style>
</head>
<body>
${body}
</body>
</html>
`;
}
