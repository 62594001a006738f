import assert from "node:assert/strict";
import { test } from "node:test";
import { inGroupsOfFour, toQrSvg } from "../src/qr-code.ts";

/** What another encoder (qrcode-generator 2.0.4) makes of "secret" with error correction M; a QR code of version 1. */
const known = [
  "#######.##.#..#######",
  "#.....#.#.##..#.....#",
  "#.###.#.#.###.#.###.#",
  "#.###.#....#..#.###.#",
  "#.###.#.#...#.#.###.#",
  "#.....#..#.##.#.....#",
  "#######.#.#.#.#######",
  "..........###........",
  "#..######...##..#.###",
  "###.#..#.##.#.#.###..",
  ".##...#.#.#..##.#.###",
  "....##...###......###",
  "#####.##.##...#..#.##",
  "........#..##.....#..",
  "#######.###.######...",
  "#.....#.##.###..###..",
  "#.###.#.#..##.#....##",
  "#.###.#.#.###..#.##..",
  "#.###.#..#....#.##.##",
  "#.....#..#...###.####",
  "#######.##.#....#....",
];

/** The dark modules of a rendered code, without its border of 4. */
function toRows(svg: string): string[] {
  const [, width = ""] = /viewBox="0 0 (\d+) \1"/.exec(svg) ?? [];
  const size = Number(width) - 8;
  const rows = Array.from({ length: size }, () => Array.from({ length: size }, () => "."));
  for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    rows[Number(y) - 4]?.fill("#", Number(x) - 4, Number(x) - 4 + Number(length));
  }
  return rows.map((row) => row.join(""));
}

test("draws the modules that another encoder makes, dark on white", () => {
  const svg = toQrSvg("secret", "QR code");
  assert.deepEqual(toRows(svg), known);
  assert.match(svg, /<path fill="#fff" d="M0 0h29v29H0z"\/><path fill="#000"/);
});

test("has an escaped title, and no script, style or reference", () => {
  const svg = toQrSvg("otpauth://totp/a", "<script>&");
  assert.match(svg, /role="img".*><title>&lt;script>&amp;<\/title>/);
  assert.doesNotMatch(svg, /<script|style|href|on\w+=/);
});

test("groups a secret by four characters", () => {
  assert.equal(inGroupsOfFour("ABCDEFGHIJ"), "ABCD EFGH IJ");
});
