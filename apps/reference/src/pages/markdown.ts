import MarkdownIt, { type Token } from "markdown-it";
import sanitize from "sanitize-html";

/** Characters. Longer texts come only from the API and are shown as plain text: rendering them would block the event loop. */
export const maxMarkdown = 40_000;

/** More tokens than any real text has: short table rows could otherwise make a hundred thousand cells. */
const maxTokens = 20_000;

const markdown = new MarkdownIt({ html: false, linkify: true });
const { escapeHtml } = markdown.utils;
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.core.ruler.push("for-pages", ({ tokens }) => {
  for (const token of tokens) {
    if (token.type === "inline") markLinked(token.children ?? []);
    // the title of the post is the one h1 of its page
    if (token.type === "heading_open" || token.type === "heading_close") token.tag = lowerHeading(token.tag);
    // the content security policy forbids style attributes
    if (token.type === "th_open" || token.type === "td_open") styleToClass(token);
  }
});
// wide tables scroll inside their frame, also by keyboard
markdown.renderer.rules.table_open = () => '<div class="scroll" tabindex="0"><table>\n';
markdown.renderer.rules.table_close = () => "</table></div>\n";

// loading images of other sites would reveal readers to them; inside a link an image becomes text, since links cannot nest
markdown.renderer.rules.image = (tokens, index, options, env) => {
  const token = tokens[index];
  const text = escapeHtml(markdown.renderer.renderInlineAsText(token?.children ?? [], options, env).trim() || "image");
  return token?.meta?.linked === true
    ? text
    : `<a href="${escapeHtml(String(token?.attrGet("src") ?? ""))}">${text}</a>`;
};

const endOfSentence = /[.!?…:;,。！？]["'”’»)\]]*$/;

const schemes = ["http", "https", "mailto"];

/** A second line of defence: whatever the renderer produces, only this is sent. */
const allowed: sanitize.IOptions = {
  allowedTags: [
    ...["h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "blockquote", "pre", "ul", "ol", "li"],
    ...["a", "em", "strong", "s", "code", "div", "table", "thead", "tbody", "tr", "th", "td"],
  ],
  allowedAttributes: {
    a: ["href", "title", "rel"],
    ol: ["start"],
    pre: ["tabindex"],
    div: ["tabindex"],
  },
  allowedClasses: { code: ["language-*"], div: ["scroll"], th: ["align-*"], td: ["align-*"] },
  allowedSchemes: schemes,
  allowProtocolRelative: false,
  transformTags: {
    a: (tagName, { href = "", title }) => {
      // a tag that is not on the list leaves its text; an <a> without an address would look like a link
      if (!isLinkable(href)) return { tagName: "span", attribs: {} };
      const attribs = { href, rel: "nofollow ugc noopener", ...(title === undefined ? {} : { title }) };
      return { tagName, attribs };
    },
    pre: (tagName) => ({ tagName, attribs: { tabindex: "0" } }),
  },
};

/** Markdown as HTML that is safe in a page. HTML in the source is text, and an image becomes a link to it. */
export function toHtml(source: string): string {
  if (source.length > maxMarkdown) return toPlainHtml(source);
  const tokens = markdown.parse(source, {});
  if (tokens.length > maxTokens) return toPlainHtml(source);
  return sanitize(markdown.renderer.render(tokens, markdown.options, {}), allowed);
}

/** The first sentences as plain text, for lists. */
export function toExcerpt(source: string, length = 240): string {
  // the start is enough, and a post may be a megabyte long
  const tokens = markdown.parse(source.slice(0, length * 8), {});
  const texts = tokens.flatMap((token, index) => {
    const isHeading = tokens[index - 1]?.type === "heading_open";
    return token.type === "inline" && !isHeading ? [textOf(token.children ?? [])] : [];
  });
  return shorten(joinBlocks(texts), length);
}

/** List items and table cells seldom end like a sentence: without a separator they would run together. */
function joinBlocks(texts: readonly string[]): string {
  const blocks = texts.map((text) => text.trim()).filter((text) => text !== "");
  const separated = blocks.map((text) => (endOfSentence.test(text) ? `${text} ` : `${text} · `));
  return [...separated.slice(0, -1), ...blocks.slice(-1)].join("");
}

function textOf(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, content, children }) => {
      if (type === "text" || type === "code_inline") return content;
      if (type === "image") return textOf(children ?? []);
      return type === "softbreak" || type === "hardbreak" ? " " : "";
    })
    .join("");
}

/** Cuts after a sentence or between words where possible, and never inside a character. */
function shorten(text: string, length: number): string {
  const characters = [...text.replaceAll(/\s+/g, " ").trim()];
  const start = characters.slice(0, length).join("");
  if (characters.length <= length) return start;
  const sentence = start.search(/[.!?] [^.!?]*$/) + 1;
  if (sentence > start.length / 2) return start.slice(0, sentence);
  const space = start.lastIndexOf(" ");
  return `${space > start.length / 2 ? start.slice(0, space) : start}…`;
}

/** Marks images inside links in one pass: looking back from each image would take quadratic time. */
function markLinked(tokens: readonly Token[]): void {
  let depth = 0;
  for (const token of tokens) {
    if (token.type === "link_open" || token.type === "link_close") depth += token.nesting;
    else if (token.type === "image" && depth > 0) token.meta = { linked: true };
  }
}

/** A path of this site, or a URL with one of the schemes above. */
function isLinkable(href: string): boolean {
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(href)?.[0].toLowerCase();
  if (scheme !== undefined) return schemes.includes(scheme);
  return href !== "" && !/^[/\\]{2}/.test(href);
}

function lowerHeading(tag: string): string {
  return `h${Math.min(Number(tag.slice(1)) + 1, 6)}`;
}

function styleToClass(token: Token): void {
  const align = /text-align:(left|center|right)/.exec(String(token.attrGet("style") ?? ""))?.[1];
  token.attrs = align === undefined ? null : [["class", `align-${align}`]];
}

/** Plain text with paragraphs and line breaks only. */
function toPlainHtml(source: string): string {
  const paragraphs = source.split(/\n{2,}/).filter((text) => text.trim() !== "");
  return paragraphs.map((text) => `<p class="as-typed">${escapeHtml(text)}</p>`).join("\n");
}
