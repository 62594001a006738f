import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTimestamp } from "../../src/schema/formats.ts";

const noon = Date.parse("2027-06-01T12:00:00.000Z");
const good: Readonly<Record<string, number>> = {
  "2027-06-01T12:00:00Z": noon,
  "2027-06-01t12:00:00z": noon,
  "2027-06-01T12:00:00.0Z": noon,
  "2027-06-01T12:00:00.123456789Z": noon + 123,
  "2027-06-01T14:00:00+02:00": noon,
  "2027-06-01T00:00:00-12:00": noon,
  "2027-06-02T11:59:00+23:59": noon,
  "2027-06-01T12:00:00-00:00": noon,
  "2028-02-29T00:00:00Z": Date.UTC(2028, 1, 29),
  "2000-02-29T00:00:00Z": Date.UTC(2000, 1, 29),
};
const bad = [
  "",
  "soon",
  "2027-06-01",
  "2027-06-01T12:00:00",
  "2027-06-01T12:00:00.000",
  "2027-06-01T12:00Z",
  "2027-06-01T12Z",
  "2027-06-01 12:00:00Z",
  "2027-06-01T12:00:00 Z",
  " 2027-06-01T12:00:00Z",
  "2027-06-01T12:00:00Z\n",
  "2027-06-01T12:00:00.Z",
  "2027-06-01T12:00:00,5Z",
  "2027-06-01T12:00:00+02",
  "2027-06-01T12:00:00+0200",
  "2027-06-01T12:00:00+24:00",
  "2027-06-01T12:00:00+02:60",
  "2027-06-01T12:00:00\u221202:00",
  "2027-06-01T12:00:00UTC",
  "2027-06-01T12:00:00 GMT+2",
  "2027-06-01T24:00:00Z",
  "2027-06-01T12:60:00Z",
  "2027-06-01T12:00:60Z",
  "2027-00-01T12:00:00Z",
  "2027-13-01T12:00:00Z",
  "2027-06-00T12:00:00Z",
  "2027-06-31T12:00:00Z",
  "2026-02-30T12:00:00Z",
  "2027-02-29T12:00:00Z",
  "2100-02-29T12:00:00Z",
  "27-06-01T12:00:00Z",
  "+002027-06-01T12:00:00Z",
  "Tue, 01 Jun 2027 12:00:00 GMT",
  "1811851200000",
];

test("an RFC 3339 time with an offset is parsed", () => {
  for (const [text, time] of Object.entries(good)) assert.equal(parseTimestamp(text)?.getTime(), time, text);
});

test("a time without an offset, without seconds, or on a day that does not exist is refused", () => {
  for (const text of bad) assert.equal(parseTimestamp(text), undefined, JSON.stringify(text));
});
