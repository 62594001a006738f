import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseEncoding } from "../../src/middleware/negotiation.ts";

const offered = ["br", "zstd", "gzip"] as const;

test("the encoding with the highest weight is chosen, among equals the one offered first", () => {
  const cases: [string, string | undefined][] = [
    ["", undefined],
    ["gzip", "gzip"],
    ["GZIP", "gzip"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, zstd", "zstd"],
    ["deflate", undefined],
    ["br;q=0.5, gzip;q=0.8", "gzip"],
    ["br;q=0.8;x=1, gzip ; q=0.8", "br"],
    ["br;q=0, gzip;q=0.001", "gzip"],
    ["gzip;q=0", undefined],
    ["*", "br"],
    ["*;q=0.5, gzip", "gzip"],
    ["br;q=0, *", "zstd"],
    ["gzip, *;q=0", "gzip"],
    ["identity", undefined],
    ["identity, gzip;q=0.5", undefined],
    ["identity;q=0.5, gzip", "gzip"],
    ["identity;q=0, *;q=0", undefined],
    ["gzip;q=2", undefined],
    ["gzip;q=abc", undefined],
    ["gzip;q=", undefined],
    [",, gzip ,", "gzip"],
    ["gzipx", undefined],
  ];
  for (const [header, expected] of cases) assert.equal(chooseEncoding(header, offered), expected, header);
});
