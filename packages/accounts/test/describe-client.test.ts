import assert from "node:assert/strict";
import { test } from "node:test";
import { describeClient } from "../src/describe-client.ts";

test("a User-Agent is named by its browser and system, and another one by its start", () => {
  const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
  for (const [userAgent, name] of [
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0 Safari/537.36 Edg/140.0`, "Edge on Windows"],
    [`Mozilla/5.0 (Linux; Android 15) ${webkit} Chrome/140.0 Mobile Safari/537.36`, "Chrome on Android"],
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/140.0 Safari/537.36`, "Chrome on Linux"],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1",
      "Safari on iPhone",
    ],
    ["curl/8.14.1", "curl"],
    ["", "An unknown client"],
    ["<b>mine</b>", "<b>mine</b>"],
    ["x".repeat(200), `${"x".repeat(60)}…`],
  ] as const) {
    assert.equal(describeClient(userAgent), name);
  }
});
