import assert from "node:assert/strict";
import { test } from "node:test";
import { addToPage } from "../src/html.ts";

test("elements are added at the end of the body", () => {
  assert.equal(addToPage("<body>a</body></html>", "<b>"), "<body>a<b></body></html>");
  assert.equal(addToPage("<body>a</body>b</BODY>", "<b>"), "<body>a</body>b<b></BODY>");
  assert.equal(addToPage("\n<!doctype html><p>a", "<b>"), "\n<!doctype html><p>a<b>");
  assert.equal(addToPage("<html><p>a", "<b>"), "<html><p>a<b>");
});

test("a part of a page stays as it is", () => {
  for (const html of ["<li>a</li>", "", "text", "<htmlx>"]) assert.equal(addToPage(html, "<b>"), html);
});
