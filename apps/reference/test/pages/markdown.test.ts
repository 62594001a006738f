import assert from "node:assert/strict";
import { test } from "node:test";
import { maxMarkdown, toExcerpt, toHtml } from "../../src/pages/markdown.ts";

const link = (href: string, text: string) => `<a href="${href}" rel="nofollow ugc noopener">${text}</a>`;

test("headings are one level below the title of the page, and h6 stays h6", () => {
  assert.equal(toHtml("# a\n## b\n###### c"), "<h2>a</h2>\n<h3>b</h3>\n<h6>c</h6>\n");
});

test("links may be http, https, mailto or a path, and have rel nofollow ugc", () => {
  assert.equal(
    toHtml("[a](https://example.com/?x=1&y=2)"),
    `<p>${link("https://example.com/?x=1&amp;y=2", "a")}</p>\n`,
  );
  assert.equal(toHtml("[a](/posts/1)"), `<p>${link("/posts/1", "a")}</p>\n`);
  assert.equal(toHtml("[a](mailto:a@example.com)"), `<p>${link("mailto:a@example.com", "a")}</p>\n`);
  assert.equal(toHtml("see https://example.com"), `<p>see ${link("https://example.com", "https://example.com")}</p>\n`);
  assert.equal(toHtml("example.com and a@example.com"), "<p>example.com and a@example.com</p>\n");
});

test("an image becomes a link, and inside a link its text", () => {
  assert.equal(
    toHtml("![a *cat*](https://example.com/c.png)"),
    `<p>${link("https://example.com/c.png", "a cat")}</p>\n`,
  );
  assert.equal(toHtml("![](/c.png)"), `<p>${link("/c.png", "image")}</p>\n`);
  assert.equal(toHtml("[![cat](/c.png)](/cats)"), `<p>${link("/cats", "cat")}</p>\n`);
});

test("an address of another scheme becomes text without a link", () => {
  for (const href of ["ftp://example.com", "tel:110", "//example.com", "data:image/png;base64,AAAA"]) {
    assert.equal(toHtml(`a [b](${href}) c`), "<p>a b c</p>\n", href);
    assert.equal(toHtml(`a ![b](${href}) c`), "<p>a b c</p>\n", href);
  }
  assert.equal(toHtml("ftp://example.com"), "<p>ftp://example.com</p>\n");
});

test("a short source with a hundred thousand table cells is shown as plain text", () => {
  const source = `|${"a|".repeat(100)}\n|${"-|".repeat(100)}\n${"|\n".repeat(19_000)}`;
  assert.ok(source.length <= maxMarkdown);
  assert.match(toHtml(source), /^<p class="as-typed">\|a\|/);
});

test("tables keep their alignment without a style attribute, and can be scrolled by keyboard, as can code", () => {
  const html = toHtml("|a|b|c|\n|:-|:-:|-:|\n|1|2|3|");
  assert.match(html, /^<div class="scroll" tabindex="0"><table>/);
  assert.match(
    html,
    /<td class="align-left">1<\/td>\s*<td class="align-center">2<\/td>\s*<td class="align-right">3<\/td>/,
  );
  assert.equal(toHtml("```ts\na < b\n```"), '<pre tabindex="0"><code class="language-ts">a &lt; b\n</code></pre>\n');
});

/** Each of these would run a script, restyle the page or leave it, if it were not sanitized. */
const attacks = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg/onload=alert(1)>",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
  '<a href="javascript:alert(1)">x</a>',
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](java\nscript:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](javascript&colon;alert(1))",
  "[x](\u0001javascript:alert(1))",
  "[x](vbscript:msgbox(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
  "![x](javascript:alert(1))",
  '![x](https://a.b/c" onerror="alert(1))',
  '![x" onerror="alert(1)](https://a.b/c)',
  '[x](https://a.b "t\\" onclick=\\"alert(1)")',
  "[x](//example.com)",
  "<javascript:alert(1)>",
  "[x]: javascript:alert(1)\n\n[x]",
  '```" onclick="alert(1)\nx\n```',
  "```<img src=x onerror=alert(1)>\nx\n```",
  "<style>body{display:none}</style>",
  '<p style="position:fixed">x</p>',
  '<form action="https://example.com"><button>x</button></form>',
  '<base href="https://example.com/">',
  '<meta http-equiv="refresh" content="0;url=https://example.com">',
  "<!--<script>-->alert(1)<!--</script>-->",
  "<math><mtext></p><style><img src=x onerror=alert(1)></style></mtext></math>",
  "</div></main><script>alert(1)</script>",
  "\\<script>alert(1)\\</script>",
  "**<b onmouseover=alert(1)>x**",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
];

test("no input becomes a tag or an attribute that is not on the list", () => {
  const tags = new Set(
    "h2 h3 h4 h5 h6 p br hr blockquote pre ul ol li a em strong s code div table thead tbody tr th td".split(" "),
  );
  for (const attack of attacks) {
    for (const [tag, name = ""] of toHtml(attack).matchAll(/<\/?([a-z0-9]+)[^>]*>/gi)) {
      assert.ok(tags.has(name), `${attack} → ${tag}`);
      const attributes = tag.slice(name.length + 1).replaceAll(/"[^"]*"/g, '""');
      assert.doesNotMatch(attributes, /\b(?:on\w+|style|src|srcset|id|action)\s*=/i, attack);
      const href = /href="([^"]*)"/.exec(tag)?.[1];
      if (href !== undefined) assert.match(href, /^(?:https?:\/\/|mailto:|\/(?!\/)|#)/, attack);
    }
  }
});

test("a text over the limit is shown as plain text", () => {
  const source = `# a\n\n<i>b\nc</i>\n\n${"x".repeat(maxMarkdown)}`;
  const html = toHtml(source);
  assert.ok(
    html.startsWith(
      '<p class="as-typed"># a</p>\n<p class="as-typed">&lt;i&gt;b\nc&lt;/i&gt;</p>\n<p class="as-typed">xxx',
    ),
  );
});

test("an excerpt is the plain text of the start, without headings and code", () => {
  const source = "# Title\n\nSome *slanted* `code` and [a link](/x).\nNext line.\n\n```\nskipped\n```\n\n- item";
  assert.equal(toExcerpt(source), "Some slanted code and a link. Next line. item");
  assert.equal(toExcerpt("Before ![a *cat*](/c.png) after"), "Before a cat after");
  assert.equal(toExcerpt(""), "");
  assert.equal(toExcerpt("<b>bold</b>"), "<b>bold</b>", "text, which the page escapes");
});

test("an excerpt separates blocks that do not end like a sentence: list items, cells, lines without a full stop", () => {
  const list = "Begin with the drawer that sticks.\n\n- the drawer\n- the *slot*\n  - nested\n\n1. one\n2. two";
  assert.equal(toExcerpt(list), "Begin with the drawer that sticks. the drawer · the slot · nested · one · two");
  assert.equal(toExcerpt("- Cut it.\n- Try it!\n- (Shave it.)\n- again"), "Cut it. Try it! (Shave it.) again");
  assert.equal(toExcerpt("Bring:\n\n- a saw\n- a plane"), "Bring: a saw · a plane");
  assert.equal(toExcerpt("| a | b |\n|---|---|\n| 1 |  |\n\nDone"), "a · b · 1 · Done");
  assert.equal(toExcerpt("No full stop\n\n![](/c.png)\n\nNext"), "No full stop · Next");
  assert.equal(toExcerpt("![](/c.png)"), "");
});

test("an excerpt ends after a sentence or between words, and else between characters", () => {
  assert.equal(toExcerpt("One two. Three four five", 14), "One two.");
  assert.equal(toExcerpt("No. This one is long", 14), "No. This one…");
  assert.equal(toExcerpt("one two three four", 12), "one two…");
  assert.equal(toExcerpt("🪵".repeat(30), 10), `${"🪵".repeat(10)}…`);
  assert.equal(toExcerpt("exactly ten", 11), "exactly ten");
  assert.ok(toExcerpt("word ".repeat(100_000)).length < 250);
});
