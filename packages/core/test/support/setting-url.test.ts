import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSettingUrl } from "@tenon/core/internal";

const parse = (text: string) =>
  parseSettingUrl("DATABASE_URL", text, "Correct it.", ({ protocol }) => protocol === "postgres:");

for (const text of ["postgres://app:secret@db/x", "postgres://db:5432/x?options=a@b"]) {
  test(`${text} has the host db`, () => {
    assert.equal(parse(text).hostname, "db");
  });
}

for (const [text, reason] of [
  ["db/x", "does not begin with a scheme"],
  ["http://db/x", "is a URL of another kind"],
  ["postgres:x", "is not a URL with a host and a port up to 65535"],
  ["postgres://app:pa/ss@db/x", "is not a valid URL: in the user and the password, write / ? # @ % as"],
  ["postgres://app:secret@db:99999999/x", "is not a valid URL: in the user and the password, write / ? # @ % as"],
] as const) {
  test(`the refusal of ${text} names the reason and the cure, and no part of it`, () => {
    assert.throws(
      () => parse(text),
      ({ message }: Error) =>
        message.startsWith(`DATABASE_URL ${reason}`) && message.endsWith("Correct it.") && !message.includes(text),
    );
  });
}
