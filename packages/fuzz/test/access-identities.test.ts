import assert from "node:assert/strict";
import { test } from "node:test";
import { AccessError, fuzzAccess } from "@tenon/fuzz";
import { createTicketsApp, type TicketsOptions } from "./support/tickets-app.ts";

const as = { alice: { "x-user": "alice" }, bob: { "x-user": "bob" } };

async function fuzz(options: TicketsOptions): Promise<string[]> {
  const app = await createTicketsApp(options);
  try {
    const { unreached, unattacked } = await fuzzAccess(app, { as, seed: 7 });
    assert.deepEqual([unreached, unattacked], [[], []]);
    return [];
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    return error.findings.map(({ kind, operation, place }) => `${kind} ${operation} ${place}`);
  } finally {
    await app.stop();
  }
}

const paths = [
  "/organisations/:organisation/tickets/:ticket",
  "/organisations/:org/tickets/:ticket",
  "/organisations/:orgId/tickets/:ticketId",
  "/organisations/:organisation_id/tickets/:id",
  "/organisations/:id/tickets/:number",
  "/organisations/:slug/tickets/:key",
  "/organisations/:tenant/tickets/:issue",
  "/o/:a/t/:b",
  "/organisations/:mandant/tickets/:nr",
  "/mandanten/:mandant/vorgaenge/:vorgang",
];

for (const path of paths) {
  for (const ids of ["number", "slug"] as const) {
    test(`a ticket of another organisation is found by ${path} with a ${ids}`, async () => {
      const [, ticket] = /:(\w+)$/.exec(path) ?? [];
      assert.deepEqual(await fuzz({ path, ids, hole: "ticket" }), [`read show :${ticket}`]);
      assert.deepEqual(await fuzz({ path, ids, hole: "merge" }), ["delete merge body source"]);
      assert.deepEqual(await fuzz({ path, ids }), []);
    });
  }
}

const expected = [
  ["merge", "delete merge body source"],
  ["stats", "read stats query owner"],
  ["filter", "read index query text"],
  ["like", "read index query like"],
  ["copy", "read createTicket body template"],
  ["order", "attach order :ticket"],
] as const;

for (const [hole, finding] of expected) {
  for (const ids of ["number", "slug"] as const) {
    test(`an id goes wherever it can: ${hole}, with a ${ids}`, async () => {
      assert.deepEqual(await fuzz({ ids, hole }), [finding]);
    });
  }
}

test("an operation to which no actor can send an id of another one fails the run, unless it is named", async () => {
  const app = await createTicketsApp({ isAlicesOnly: true, hole: "merge" });
  await assert.rejects(
    fuzzAccess(app, { as, seed: 7 }),
    /\n {3}merge \(POST \/merge\) was not attacked: no actor could send it an id of another one\n[\s\S]*untested: \["merge", "order"\]/,
  );
  const { reached, unattacked } = await fuzzAccess(app, { as, seed: 7, untested: ["merge", "order"] });
  assert.deepEqual([reached.includes("merge"), unattacked], [true, ["merge", "order"]]);
  await app.stop();
});

test("an attack that was refused for what goes beside the id does not count", async () => {
  const app = await createTicketsApp({ hole: "order once" });
  const unattacked = /\n {3}order \(POST \/order\/\{ticket\}\) was not attacked/;
  await assert.rejects(fuzzAccess(app, { as, seed: 7 }), unattacked);
  await app.stop();
});
