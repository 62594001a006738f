import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSettingUrl, refuseUrl } from "@tenon/core/internal";

for (const [text, host] of [
  ["postgres://app:secret@db/x", "db"],
  ["postgres://db:5432/x?options=a@b", "db"],
  ["postgres://app:pa/ss@db/x", undefined],
  ["sqlite:./data/app.db", undefined],
  ["postgres://app:secret@db:99999999/x", undefined],
] as const) {
  test(`${text} has ${host === undefined ? "no host" : `the host ${host}`}`, () => {
    assert.equal(parseSettingUrl(text)?.hostname, host);
  });
}

for (const [text, reason] of [
  ["db/x", "does not begin with a scheme"],
  ["http://db/x", "is a URL of another kind"],
  ["postgres:x", "is not a URL with a host and a port up to 65535"],
  ["postgres://app:pa/ss@db/x", "is not a valid URL: in the user and the password, write / ? # @ % as"],
] as const) {
  test(`the refusal of ${text} names the reason and the cure, and no part of it`, () => {
    assert.throws(
      () => refuseUrl("DATABASE_URL", text, "Correct it."),
      ({ message }: Error) =>
        message.startsWith(`DATABASE_URL ${reason}`) && message.endsWith("Correct it.") && !message.includes(text),
    );
  });
}
