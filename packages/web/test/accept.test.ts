import assert from "node:assert/strict";
import { test } from "node:test";
import { wantsJson } from "@tenon/web";
import { testOnBothTransports } from "../../core/test/support/transports.ts";
import { prefersJson } from "../src/accept.ts";

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

const cases: readonly [accept: string, json: boolean, why: string][] = [
  ["", false, "whoever does not say gets the page"],
  ["*/*", false, "curl gets the page"],
  [browser, false, "a browser gets the page"],
  ["application/json", true, "JSON alone"],
  ["APPLICATION/JSON", true, "types have no case"],
  ["application/json; charset=utf-8", true, "parameters do not matter"],
  ["application/json, text/plain, */*", true, "named among anything"],
  ["*/*, application/json", true, "the order does not matter"],
  ["application/json, text/html", false, "both alike: the page"],
  ["text/html;q=0.9, application/json", true, "JSON is liked better"],
  ["text/html, application/json;q=0.9", false, "the page is liked better"],
  ["application/json;q=0.5, text/*;q=0.4", true, "a range of types counts for those without a name of their own"],
  ["application/json;q=0.5, */*;q=0.8", false, "anything else is liked better"],
  ["application/*", false, "JSON is not named, and a range of ranges is no wish for it"],
  ["application/*, text/html;q=0, x/json", true, "everything but the page"],
  ["application/json;q=0", false, "JSON is refused"],
  ["application/json;q=0, text/html;q=0", false, "both are refused: the page"],
  ["application/json;q=abc", false, "a weight that cannot be read refuses"],
  ["application/json;q=1.5", false, "there is no such weight"],
  ["application/problem+json", false, "another type than the one we write"],
  ["image/avif,image/webp,*/*;q=0.8", false, "an image that is not there"],
  [",;,application/json", true, "what cannot be read is skipped"],
];

for (const [accept, json, why] of cases) {
  test(`Accept "${accept}" gets ${json ? "JSON" : "HTML"}: ${why}`, () => assert.equal(prefersJson(accept), json));
}

testOnBothTransports(
  "a handler asks whether its client wants JSON",
  [{ method: "GET", path: "/", handler: (ctx) => ({ json: wantsJson(ctx) }) }],
  async (call) => {
    for (const [accept, json] of [
      ["application/json", true],
      [browser, false],
    ] as const) {
      const reply = await call("GET", "/", { headers: { accept } });
      assert.deepEqual(await reply.json(), { json });
    }
  },
);
