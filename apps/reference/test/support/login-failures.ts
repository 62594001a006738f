import { LoginLimit } from "@tenon/auth";
import type { Context } from "@tenon/core";
import type { Blog } from "./blog.ts";

/** Counts failed logins of these accounts from the tests' own address, without the time that comparing passwords takes. */
export async function noteFailures({ app, client }: Blog, accounts: readonly string[]): Promise<void> {
  const handler = async (ctx: Context) => {
    for (const account of accounts) await app.get(LoginLimit).noteFailure(account, ctx);
  };
  app.routes.add({ method: "POST", path: "/note-failures", handler });
  await client.call("POST", "/note-failures");
  app.routes.remove("POST", "/note-failures");
}
