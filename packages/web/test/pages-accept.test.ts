import assert from "node:assert/strict";
import { test } from "node:test";
import { wantsJson } from "@tenon/web";
import { testOnBothTransports } from "../../core/test/support/transports.ts";
import { prefersJson } from "../src/pages.ts";

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

const cases: readonly [accept: string, json: boolean, why: string][] = [
  ["", false, "no preference gets the page"],
  ["*/*", false, "curl gets the page"],
  [browser, false, "a browser gets the page"],
  ["application/json", true, "JSON alone"],
  ["APPLICATION/JSON", true, "types have no case"],
  ["application/json; charset=utf-8", true, "parameters do not matter"],
  ["application/json, text/plain, */*", true, "named among anything"],
  ["*/*, application/json", true, "the order does not matter"],
  ["application/json, text/html", false, "both alike: the page"],
  ["text/html;q=0.9, application/json", true, "JSON has more weight"],
  ["text/html, application/json;q=0.9", false, "the page has more weight"],
  ["application/json;q=0.5, text/*;q=0.4", true, "a range counts for types that are not named"],
  ["application/json;q=0.5, */*;q=0.8", false, "anything else has more weight"],
  ["application/*", false, "a range that includes JSON does not prefer it"],
  ["application/*, text/html;q=0, x/json", true, "everything but the page"],
  ["application/json;q=0", false, "JSON is refused"],
  ["application/json;q=0, text/html;q=0", false, "both are refused: the page"],
  ["application/json;q=abc", false, "a malformed weight refuses"],
  ["application/json;q=1.5", false, "weights end at 1"],
  ["application/problem+json", false, "another type than the one that is written"],
  ["image/avif,image/webp,*/*;q=0.8", false, "a missing image"],
  [",;,application/json", true, "malformed parts are skipped"],
];

for (const [accept, json, why] of cases) {
  test(`Accept "${accept}" gets ${json ? "JSON" : "HTML"}: ${why}`, () => assert.equal(prefersJson(accept), json));
}

testOnBothTransports(
  "wantsJson() tells a handler whether its client prefers JSON",
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
