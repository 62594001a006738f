import assert from "node:assert/strict";
import { test } from "node:test";
import { api, dto, endpoint, HttpError, type Routes, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { AccessError, type FuzzAccessOptions, fuzzAccess } from "@tenon/fuzz";
import { moduleOf } from "../../core/test/support/transports.ts";
import { actors, createProjectsApp, type Hole } from "./support/projects-app.ts";

const users = { alice: actors.alice, bob: actors.bob };

async function fuzz(holes: readonly Hole[], options: Partial<FuzzAccessOptions> = {}) {
  const app = await createProjectsApp(...holes);
  try {
    return await fuzzAccess(app, { as: actors, seed: 7, ...options });
  } finally {
    await app.stop();
  }
}

async function findings(holes: readonly Hole[], options: Partial<FuzzAccessOptions> = {}): Promise<AccessError> {
  try {
    await fuzz(holes, options);
  } catch (error) {
    if (error instanceof AccessError) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: `nothing was found in an application with: ${holes.join(", ")}` });
}

test("an application whose users reach only their own objects has no findings", async () => {
  const { requests, objects, reached, unreached, seed } = await fuzz([]);
  assert.ok(requests <= 2000 && requests > 100, String(requests));
  assert.ok((objects.alice ?? 0) >= 6 && (objects.bob ?? 0) >= 6, JSON.stringify(objects));
  assert.equal(reached.length, 13);
  assert.deepEqual([unreached, seed], [[], 7]);
});

const expected: readonly [hole: Hole, finding: string][] = [
  ["show", "read projects.show :id"],
  ["update", "change projects.patch :id"],
  ["delete", "delete projects.delete :id"],
  ["list", "read projects.index response"],
  ["export", "read projects.export response"],
  ["cache", "read projects.index response"],
  ["wrong parent", "read tasks.show :id"],
  ["body id", "attach tasks.create body project_id"],
  ["batch", "change projects.archive body ids[]"],
  ["batch first", "change projects.archive body ids[]"],
  ["search", "read projects.search query text"],
  ["count", "existence projects.count figures"],
  ["filter", "read tasks.index query project_id"],
  ["cursor", "read projects.pages query cursor"],
  ["soft delete", "read projects.show :id of a deleted object"],
  ["stars", "mass assignment projects.patch body"],
  ["owner", "mass assignment projects.patch body"],
];

for (const [hole, finding] of expected) {
  test(`a hole is found, and nothing else: ${hole}`, async () => {
    const { findings: found } = await findings([hole], { as: users });
    assert.deepEqual(
      found.map(({ kind, operation, place }) => `${kind} ${operation} ${place}`),
      [finding],
    );
  });
}

test("a status that tells a foreign id from an unknown one is found wherever an id goes", async () => {
  const { findings: found } = await findings(["exists"]);
  assert.deepEqual([...new Set(found.map(({ kind }) => kind))], ["existence"]);
  assert.deepEqual(found.map(({ operation, place }) => `${operation} ${place}`).toSorted(), [
    "projects.archive body ids[]",
    "projects.delete :id",
    "projects.patch :id",
    "projects.show :id",
    "tasks.create body project_id",
    "tasks.show :id",
    "tasks.show :project_id",
  ]);
});

test("a report has the requests that show a finding again, without credentials", async () => {
  const { message, findings: found } = await findings(["show"]);
  assert.match(message, /1\. read: projects\.show \(GET \/projects\/\{id\}\) at :id, by bob\n/);
  assert.match(message, /policies: none\n/);
  assert.match(message, /cure: add a policy that loads :id\n/);
  assert.match(message, /seed: 7\./);
  const [create = "", attack = "", ...others] = found[0]?.curl ?? [];
  assert.match(create, /^ALICE_PROJECT=\$\(curl -s -X POST "\$URL\/projects" -H "\$ALICE" .* \| jq -r \.id\)$/);
  assert.equal(attack, 'curl -s "$URL/projects/$ALICE_PROJECT" -H "$BOB"  # bob: 200');
  assert.deepEqual(others, []);
});

test("a report explains the ids of users where its requests have them", async () => {
  const { message, findings: found } = await findings(["owner"]);
  assert.match(found[0]?.curl.join("\n") ?? "", /\$(?:ALICE|BOB)_ID\b/);
  assert.match(message, /an actor, \$NAME_ID the id of its user\.$/);
  assert.doesNotMatch((await findings(["show"])).message, /\$NAME_ID/);
});

test("a cached response is reported with the owner's request before it", async () => {
  const { findings: found } = await findings(["cache"]);
  const lines = found[0]?.curl.map((line) => line.replace(/^.*# /, "")) ?? [];
  const [attacker] = found[0]?.attackers ?? [];
  assert.deepEqual(lines.slice(-2), [attacker === "bob" ? "alice: 200" : "bob: 200", `${attacker}: 200`]);
  assert.match(found[0]?.cure ?? "", /key of the cache/);
});

test("the same seed gives the same report", async () => {
  const [one, other] = [await findings(["update"]), await findings(["update"])];
  assert.equal(one.message, other.message);
});

test("what a shared operation shows may be read, but not changed", async () => {
  await fuzz(["show", "exists"], { shared: ["projects.show", "tasks.show"], skip: ["projects.archive"] });
  const { findings: found } = await findings(["show", "update"], { shared: ["projects.show"] });
  assert.deepEqual(
    found.map(({ kind, operation }) => `${kind} ${operation}`),
    ["change projects.patch"],
  );
});

test("an actor that sees everything is not an attacker, but may be attacked", async () => {
  const admin = { headers: { "x-user": "admin" }, seesEverything: true };
  await fuzz(["show"], { as: { alice: actors.alice, admin }, shared: ["projects.show"] });
  const { findings: found } = await findings(["delete"], { as: { alice: actors.alice, admin } });
  assert.deepEqual(found[0]?.attackers, ["alice"]);
});

test("a run that shows nothing is refused with its cure", async () => {
  await assert.rejects(fuzz([], { as: { alice: actors.alice } }), /needs two actors at least/);
  await assert.rejects(
    fuzz([], { shared: ["projects.shwo"] }),
    /the option shared names projects\.shwo, which is not an operation\. The operations are projects\.index, /,
  );
  await assert.rejects(
    fuzz([], { as: { alice: actors.alice, bob: {} } }),
    /every request of bob was rejected with 401\. Check its headers/,
  );
  const given = {
    as: undefined,
    "as.alice": { alice: "Bearer secret" },
    "as.bob": { alice: actors.alice, bob: undefined },
  };
  for (const [option, as] of Object.entries(given)) {
    await assert.rejects(
      fuzz([], { as } as unknown as FuzzAccessOptions), // as JavaScript may call it
      new RegExp(
        `^Error: fuzzAccess\\(\\): the option ${option} is (?:missing|a string)\\. Give the headers of each actor`,
      ),
    );
  }
  for (const runs of [-1, 0, 1.5, Number.NaN]) {
    await assert.rejects(fuzz([], { runs }), /the option runs is \S+, but takes a positive whole number\./);
  }
  await assert.rejects(fuzz([], { runs: 200 }), /200 requests are too few\. \d+ of \d+ attacks were tried/);
  await assert.rejects(
    fuzz([], { skip: ["projects.create"] }),
    /no actor could create an object whose id a response shows\. projects\.archive responded 404; tasks\.create /,
  );
});

/** Notes of users whose sessions an operation ends, or whose requests are limited or forbidden. */
async function fuzzNotes({ endsSessions = false, isForbidden = false, limit = Number.POSITIVE_INFINITY }) {
  const ended = new Set<string>();
  let count = 0;
  const Note = dto({ id: string("required"), text: string("required") });
  const routes: Routes = [
    {
      method: "POST",
      path: "/notes",
      handler: endpoint(
        { operationId: "notes.create", body: Note.pick("text"), returns: { 201: Note } },
        (_, { body }) => {
          count++;
          if (isForbidden) throw new HttpError(403, "Forbidden");
          if (count > limit) throw new HttpError(429, "Too Many Requests");
          return { ...body, id: `note-${count}-of-many` };
        },
      ),
    },
    {
      method: "GET",
      path: "/me",
      handler: endpoint({ operationId: "me", returns: dto({ name: string("required") }) }, (ctx) => {
        if (!ctx.header("x-user") || ended.has(ctx.header("x-user"))) throw new HttpError(401, "Unauthorized");
        return { name: ctx.header("x-user") };
      }),
    },
    {
      method: "POST",
      path: "/leave",
      handler: endpoint({ operationId: "leave", returns: { 204: null } }, (ctx) => {
        if (endsSessions) ended.add(ctx.header("x-user"));
      }),
    },
  ];
  const settings = { log: { level: "silent" }, checkContracts: false } as const;
  const app = await createTestApp(moduleOf(routes), api(), settings);
  try {
    await fuzzAccess(app, { as: users, seed: 7 });
  } finally {
    await app.stop();
  }
}

test("an operation that ends the credentials of its actor is named", async () => {
  await fuzzNotes({});
  await assert.rejects(
    fuzzNotes({ endsSessions: true }),
    /leave has ended the credentials of alice: me responds 401 since then\. Name it in the option skip: \["leave"\]\./,
  );
});

test("a rate limit ends the run with its cure", async () => {
  await assert.rejects(
    fuzzNotes({ limit: 4 }),
    /notes\.create responded 429 to bob after \d+ requests\. Turn its rate limit off/,
  );
});

test("where no object could be created because of 403, the header of a CSRF token is named", async () => {
  await assert.rejects(
    fuzzNotes({ isForbidden: true }),
    /notes\.create responded 403; .* give it beside the cookie: \{ cookie, "x-csrf-token": token \}\.$/,
  );
});
