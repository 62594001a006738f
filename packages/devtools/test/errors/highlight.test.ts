import assert from "node:assert/strict";
import { test } from "node:test";
import { highlight } from "../../src/errors/highlight.ts";

/** The HTML of a text, line by line, with the classes of spans as `{class:text}`. */
function classesIn(text: string, file = "a.ts"): string {
  const lines = text.split("\n").map((line, index) => ({ number: index + 1, text: line, isHit: false }));
  const html = highlight({ file, line: 1, lines });
  assert.equal(html.length, lines.length);
  return html.join("\n").replaceAll(/<span class="(\w+)">(.*?)<\/span>/g, "{$1:$2}");
}

test("words, texts, numbers, patterns and comments have their class", () => {
  assert.equal(classesIn("return posts.delete(1.5);"), "{word:return} posts.delete({number:1.5});");
  assert.equal(classesIn("const $type = this.#new;"), "{word:const} $type = {word:this}.#new;");
  assert.equal(classesIn('a = "it\'s \\" b" // c'), "a = {text:&quot;it&#39;s \\&quot; b&quot;} {comment:// c}");
  assert.equal(classesIn("x.match(/[/\"]+'/g) / 2"), "x.match({pattern:/[/&quot;]+&#39;/g}) / {number:2}");
});

test("what has several lines ends and begins again with each of them", () => {
  assert.equal(classesIn("f(`a\n<b>`)"), "f({text:`a}\n{text:&lt;b&gt;`})");
  assert.equal(classesIn("/* a\nb */ c"), "{comment:/* a}\n{comment:b */} c");
  assert.equal(
    classesIn("   * of a comment above\n   */\nx * y"),
    "{comment:   * of a comment above}\n{comment:   */}\nx * y",
  );
});

test("a file that is not code is only escaped", () => {
  assert.equal(classesIn("<% if (1) { %>", "list.eta"), "&lt;% if (1) { %&gt;");
});
