import assert from "node:assert/strict";
import { LoginLimit } from "@tenon/auth";
import type { Context } from "@tenon/core";
import type { Blog } from "./blog.ts";

/** Counts failed logins of these accounts from the tests' address, without comparing passwords. */
export async function noteFailures({ app, client }: Blog, accounts: readonly string[]): Promise<void> {
  const handler = async (ctx: Context) => {
    for (const account of accounts) await app.get(LoginLimit).noteFailure(account, ctx);
  };
  app.routes.add({ method: "POST", path: "/note-failures", handler });
  await client.call("POST", "/note-failures");
  app.routes.remove("POST", "/note-failures");
}

/** `Retry-After` is the rest of a window of this many seconds that began between `start` and now. */
export function assertRest(reply: { readonly headers: Headers }, window: number, start: number): void {
  const seconds = Number(reply.headers.get("retry-after"));
  // a second for a store that has its own clock
  const fewest = window - (Date.now() - start) / 1000 - 1;
  const fits = Number.isInteger(seconds) && seconds >= fewest && seconds <= window;
  assert.ok(fits, `Retry-After is ${seconds}, at least ${fewest} and at most ${window} are left`);
}
