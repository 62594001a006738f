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
const badTimes = "12:00:00 12:00:00.000 12:00Z 12Z 12:00:00.Z 12:00:00,5Z 12:00:00+02 12:00:00+0200 12:00:00+24:00";
const more = "12:00:00+02:60 12:00:00\u221202:00 12:00:00UTC 24:00:00Z 12:60:00Z 12:00:60Z";
const badDays = "2027-00-01 2027-13-01 2027-06-00 2027-06-31 2026-02-30 2027-02-29 2100-02-29 27-06-01 +002027-06-01";
const bad = [
  ...`${badTimes} ${more}`.split(" ").map((time) => `2027-06-01T${time}`),
  ...badDays.split(" ").map((day) => `${day}T12:00:00Z`),
  ...["", "soon", "2027-06-01", "2027-06-01 12:00:00Z", "2027-06-01T12:00:00 Z", " 2027-06-01T12:00:00Z"],
  ...["2027-06-01T12:00:00Z\n", "2027-06-01T12:00:00 GMT+2", "Tue, 01 Jun 2027 12:00:00 GMT", "1811851200000"],
];

test("an RFC 3339 time with an offset is parsed", () => {
  for (const [text, time] of Object.entries(good)) assert.equal(parseTimestamp(text)?.getTime(), time, text);
});

test("a time without an offset, without seconds, or on a day that does not exist is refused", () => {
  for (const text of bad) assert.equal(parseTimestamp(text), undefined, JSON.stringify(text));
});
