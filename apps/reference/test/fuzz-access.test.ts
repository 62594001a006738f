import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { ApiKeys } from "@tenon/auth";
import { AccessError, type ActorOption, fuzzAccess } from "@tenon/fuzz";
import { type Blog, testOnStorages } from "./support/blog.ts";

/** A user with all credentials that the service accepts: an operation gets those of its first scheme. */
async function toActor({ app, users }: Blog): Promise<ActorOption> {
  const user = await users.add();
  const { key } = await app.get(ApiKeys).create(user.user.id, { scopes: "all" });
  const bearer = { authorization: `Bearer ${user.token}` };
  const headers = { session: await users.session(user), apiKey: { "x-api-key": key } };
  return ({ security: [scheme] }) => (scheme === "session" || scheme === "apiKey" ? headers[scheme] : bearer);
}

async function fuzz(blog: Blog) {
  const as = { alice: await toActor(blog), bob: await toActor(blog), guest: null };
  return fuzzAccess(blog.app, {
    as,
    shared: ["posts.index", "posts.show"],
    skip: ["auth.openSession"] /* a login */,
    seed: 1,
  });
}

const page = readFileSync(new URL("../../../docs/authorization.md", import.meta.url), "utf8");

/** Without what a run chooses: texts, flags, and how many requests it took. */
function toWords(report: string): string {
  return report
    .replaceAll(/\bz[0-9a-z]{9}(?:x\d)?\b/g, "text")
    .replaceAll(/:(?:true|false)\b/g, ":flag")
    .replace(/requests: \d+, seed: \d+/, "requests, seed");
}

testOnStorages("any user may change and delete any post, as the specification says, and nothing else", async (blog) => {
  await assert.rejects(fuzz(blog), (error) => {
    assert.ok(error instanceof AccessError, String(error));
    const found = error.findings.map(({ kind, operation, place, attackers }) => [kind, operation, place, ...attackers]);
    assert.deepEqual(found, [
      ["delete", "posts.delete", ":id", "bob"],
      ["change", "posts.update", ":id", "bob"],
      ["change", "posts.patch", ":id", "bob"],
    ]);
    const shown = /^```text\n(fuzzAccess\(\) found .*?)\n```$/ms.exec(page)?.[1] ?? "";
    assert.equal(toWords(shown), toWords(error.message), "docs/authorization.md shows the report");
    return true;
  });
});

testOnStorages(
  "with the owner policy, no user reaches what belongs to another",
  async (blog) => {
    const { requests, unreached } = await fuzz(blog);
    assert.deepEqual(unreached, []);
    assert.ok(requests > 100, String(requests));
  },
  { options: { postPolicy: "owner" } },
);
