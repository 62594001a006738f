import assert from "node:assert/strict";
import { test } from "node:test";
import { toPlural, toSingular, withArticle } from "../src/plural.ts";

const pairs: readonly [singular: string, plural: string][] = [
  ["post", "posts"],
  ["story", "stories"],
  ["day", "days"],
  ["class", "classes"],
  ["box", "boxes"],
  ["match", "matches"],
  ["dish", "dishes"],
  ["status", "statuses"],
  ["bus", "buses"],
  ["address", "addresses"],
  ["house", "houses"],
  ["page", "pages"],
  ["person", "people"],
  ["child", "children"],
  ["sheep", "sheep"],
  ["news", "news"],
];

for (const [singular, plural] of pairs) {
  test(`converts ${singular} to ${plural} and back, and leaves both forms as they are`, () => {
    assert.equal(toPlural(singular), plural);
    assert.equal(toPlural(plural), plural);
    assert.equal(toSingular(plural), singular);
    assert.equal(toSingular(singular), singular);
  });
}

test("puts the article that a word is spoken with before it", () => {
  const words = ["article", "blog post", "user", "unit", "umbrella", "hour", "home", "one", "event", "url"];
  assert.deepEqual(words.map(withArticle), [
    "an article",
    "a blog post",
    "a user",
    "a unit",
    "an umbrella",
    "an hour",
    "a home",
    "a one",
    "an event",
    "a url",
  ]);
});
