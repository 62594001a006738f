import MarkdownIt, { type Token } from "markdown-it";
import sanitize from "sanitize-html";

/** Characters. Longer ones come only from the API, and are shown as they were typed: rendering would hold up everybody. */
export const maxMarkdown = 40_000;

/** So many blocks are no text of a person: a short line for each cell makes a table of a hundred thousand. */
const maxTokens = 20_000;

const markdown = new MarkdownIt({ html: false, linkify: true });
const { escapeHtml } = markdown.utils;
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.core.ruler.push("for-pages", ({ tokens }) => {
  for (const token of tokens) {
    if (token.type === "inline") markLinked(token.children ?? []);
    // the title of the post is the one h1 of its page
    if (token.type === "heading_open" || token.type === "heading_close") token.tag = lowerHeading(token.tag);
    // the content security policy lets no style attribute through
    if (token.type === "th_open" || token.type === "td_open") styleToClass(token);
  }
});
// wide tables scroll inside their frame, by keyboard too
markdown.renderer.rules.table_open = () => '<div class="scroll" tabindex="0"><table>\n';
markdown.renderer.rules.table_close = () => "</table></div>\n";

// showing pictures of other sites would tell those sites who reads here; a link cannot hold another, so there it is text
markdown.renderer.rules.image = (tokens, index, options, env) => {
  const token = tokens[index];
  const text = escapeHtml(markdown.renderer.renderInlineAsText(token?.children ?? [], options, env).trim() || "image");
  return token?.meta?.linked === true
    ? text
    : `<a href="${escapeHtml(String(token?.attrGet("src") ?? ""))}">${text}</a>`;
};

const endOfSentence = /[.!?…:;,。！？]["'”’»)\]]*$/;

const schemes = ["http", "https", "mailto"];

/** The second line of defence: whatever the renderer makes of a text, only this goes out. */
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
      // a name that is not on the list leaves its text; an <a> without an address would look like a link and be none
      if (!isLinkable(href)) return { tagName: "span", attribs: {} };
      const attribs = { href, rel: "nofollow ugc noopener", ...(title === undefined ? {} : { title }) };
      return { tagName, attribs };
    },
    pre: (tagName) => ({ tagName, attribs: { tabindex: "0" } }),
  },
};

/** Markdown as HTML that may stand in a page. HTML in it is text, and an image becomes a link to it. */
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

/** Items of a list and cells of a table seldom end like a sentence: without a sign between them they would run together. */
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

/** Cut behind a sentence or between words where there are any, and never through a character. */
function shorten(text: string, length: number): string {
  const characters = [...text.replaceAll(/\s+/g, " ").trim()];
  const start = characters.slice(0, length).join("");
  if (characters.length <= length) return start;
  const sentence = start.search(/[.!?] [^.!?]*$/) + 1;
  if (sentence > start.length / 2) return start.slice(0, sentence);
  const space = start.lastIndexOf(" ");
  return `${space > start.length / 2 ? start.slice(0, space) : start}…`;
}

/** Images that stand in a link: looking back from each of them would take the square of the time. */
function markLinked(tokens: readonly Token[]): void {
  let depth = 0;
  for (const token of tokens) {
    if (token.type === "link_open" || token.type === "link_close") depth += token.nesting;
    else if (token.type === "image" && depth > 0) token.meta = { linked: true };
  }
}

/** An own path, or one of the schemes above. */
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

/** Nobody can tell where in it the markup would begin: paragraphs and line breaks are all it gets. */
function toPlainHtml(source: string): string {
  const paragraphs = source.split(/\n{2,}/).filter((text) => text.trim() !== "");
  return paragraphs.map((text) => `<p class="as-typed">${escapeHtml(text)}</p>`).join("\n");
}
