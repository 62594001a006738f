import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { toCurl } from "../../src/pages/curl.ts";
import type { Recorded } from "../../src/record/recorded.ts";

function record(target: string, headers: Readonly<Record<string, string>> = {}): Recorded {
  const at = "2026-01-02T03:04:05.678Z";
  const request = { headers };
  return { id: "1", kind: "request", at, ms: 1, method: "GET", target, request, spans: [], droppedSpans: 0, logs: [] };
}

test("brackets in an address are not ranges, and an empty header is sent", () => {
  assert.equal(
    toCurl(record("/items?tag[]=a&b={1}", { "x-empty": "" }), "http://localhost:1"),
    "curl -g 'http://localhost:1/items?tag[]=a&b={1}' \\\n  -H 'x-empty;'",
  );
});

test("a shell takes every value as text", () => {
  const text = toCurl(record("/$(id)/`id`/'\"", { "x-own": "'; id; '" }), "http://localhost:1");
  const parts = execFileSync("/bin/sh", ["-c", text.replace(/^curl/, 'printf "%s\\n"')], { encoding: "utf8" });
  assert.equal(parts, "http://localhost:1/$(id)/`id`/'\"\n-H\nx-own: '; id; '\n");
});
