/** Unescapes the text of a page. */
export function decode(html: string): string {
  return html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

/** The values of a post's form. A browser drops the first line break of a textarea. */
export function typedIn(html: string) {
  return {
    title: decode(/<input id="title"[^>]* value="([^"]*)"/.exec(html)?.[1] ?? "no field"),
    content: decode(/<textarea id="content"[^>]*>\n?([^<]*)<\/textarea>/.exec(html)?.[1] ?? "no field"),
  };
}

/** The value of a hidden field; "" when there is none. */
export function hiddenIn(html: string, name: string): string {
  return decode(new RegExp(`<input type="hidden" name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "");
}

/** The token of the first form in a page; "" when there is none. */
export function tokenIn(html: string): string {
  return /name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? "";
}
