import assert from "node:assert/strict";
import { test } from "node:test";
import { AccessError, type FuzzAccessOptions, fuzzAccess } from "@tenon/fuzz";
import { createArticlesApp } from "./support/articles-app.ts";

const as = { alice: { "x-user": "alice" }, bob: { "x-user": "bob" } };
const published = { "articles.show": (article: Readonly<Record<string, unknown>>) => article.published };

async function fuzz(app: Parameters<typeof createArticlesApp>[0], options: Partial<FuzzAccessOptions> = {}) {
  const started = await createArticlesApp(app);
  try {
    return await fuzzAccess(started, { as, seed: 7, ...options });
  } finally {
    await started.stop();
  }
}

async function findings(...given: Parameters<typeof fuzz>): Promise<string[]> {
  const error = await fuzz(...given).then(
    () => assert.fail("nothing was found"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof AccessError)) throw error;
  return error.findings.map(({ kind, operation, place }) => `${kind} ${operation} ${place}`);
}

test("drafts are not shared by a function that asks whether an article is published", async () => {
  const { unreached, unattacked } = await fuzz({}, { shared: published });
  assert.deepEqual([unreached, unattacked], [[], []]); // the favorite that an owner takes back, too
  assert.ok((await findings({ hasOpenDrafts: true }, { shared: published })).includes("read articles.show :id"));
  assert.ok((await findings({})).includes("read articles.show :id"));
});

test("a list that is cached for longer than the run is found", async () => {
  assert.deepEqual(await findings({ isCached: true }, { shared: published }), ["read articles.index response"]);
});

test("a list that is cached for all until something is created or deleted is found", async () => {
  assert.deepEqual(await findings({ isCachedForAll: true }, { shared: published }), ["read articles.index response"]);
});

test("what all may read is attacked by writes, too", async () => {
  const change = await findings({ open: "PUT" }, { shared: published });
  assert.deepEqual(change, ["change articles.update :id"]);
  assert.deepEqual(await findings({ open: "DELETE" }, { shared: published }), ["delete articles.delete :id"]);
});

test("an operation with an id in its path that is not reached fails the run, unless it is named", async () => {
  await assert.rejects(
    fuzz({ isClosed: true }),
    /\n {3}articles\.show \(GET \/articles\/\{id\}\) was not reached: it responded 404\n[\s\S]*name in the option untested: \["articles\.show", "articles\.update", "articles\.delete", "favorites\.create", "favorites\.delete"\]\. seed: 7\.$/,
  );
  const untested = ["articles.show", "articles.update", "articles.delete", "favorites.create", "favorites.delete"];
  const { unreached } = await fuzz({ isClosed: true }, { untested });
  assert.deepEqual(unreached, untested);
});
