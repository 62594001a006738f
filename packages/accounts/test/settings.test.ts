import assert from "node:assert/strict";
import { test } from "node:test";
import { api } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { type PlainAccountsOptions, toAccountSettings } from "../src/settings.ts";
import { createAccountsModule } from "./support/accounts-app.ts";

/** Runs it as in production. */
function inProduction<T>(run: () => T): T {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = "production";
  try {
    return run();
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

const create = (options: Partial<PlainAccountsOptions>, delivers = true) =>
  toAccountSettings({ name: "Blog", ...options }, delivers);

test("links begin with the configured address, with its path", () => {
  const { linkTo } = create({ baseUrl: "https://example.com/blog/" });
  assert.equal(linkTo("verification", "a-b_c"), "https://example.com/blog/account/verify?token=a-b_c");
  assert.equal(linkTo("forgot"), "https://example.com/blog/account/reset");
  const own = create({ baseUrl: "https://example.com", paths: { reset: "/new-password" } });
  assert.equal(own.linkTo("reset", "x"), "https://example.com/new-password?token=x");
  assert.equal(create({}).linkTo("forgot"), "http://localhost:8080/account/reset");
});

test("an address that cannot begin a link stops the start, and is not quoted", () => {
  for (const baseUrl of ["blog.example.com", "ftp://example.com", "/account", "", "javascript:alert(1)"]) {
    assert.throws(
      () => create({ baseUrl }),
      /baseUrl of accountsModule\(\) is not an address .* Set BASE_URL/,
      baseUrl,
    );
  }
  for (const baseUrl of ["https://u:secret@example.com", "https://example.com?a=1", "https://example.com/#a"]) {
    assert.throws(() => create({ baseUrl }), /has a user, a query or a fragment/, baseUrl);
  }
  assert.throws(
    () => create({ baseUrl: "https://u:secret@example.com" }),
    (error: Error) => !error.message.includes("secret"),
  );
});

test("production does not start without BASE_URL and MAIL_URL, and names both", () => {
  const message = (run: () => unknown) => {
    try {
      inProduction(run);
      return "";
    } catch (error) {
      return (error as Error).message; // a StartError
    }
  };
  const both = message(() => create({}, false));
  assert.match(both, /Set BASE_URL/);
  assert.match(both, /Set MAIL_URL/);
  assert.match(
    message(() => create({ baseUrl: "http://blog.example.com" })),
    /needs https:\/\//,
  );
  assert.equal(
    message(() => create({ baseUrl: "https://blog.example.com" })),
    "",
  );
  assert.equal(
    message(() => create({ baseUrl: "http://localhost:8080" })),
    "",
  );
});

test("a process that sends no mails starts in production without them, and makes no links", () => {
  const { linkTo } = inProduction(() => create({ sendsMails: false }, false));
  assert.throws(() => linkTo("forgot"), /no BASE_URL/);
});

test("the application reports a wrong option at its start", async () => {
  const module = createAccountsModule({ database: "sqlite::memory:" }, { baseUrl: () => "blog" });
  await assert.rejects(createTestApp(module, api()), /baseUrl of accountsModule\(\) is not an address/);
});
