import assert from "node:assert/strict";
import { test } from "node:test";
import { api, boolean, dto, endpoint, HttpError, type Routes, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { AccessError, fuzzAccess } from "@tenon/fuzz";
import { moduleOf } from "../../core/test/support/transports.ts";

const as = { alice: { "x-user": "alice" }, bob: { "x-user": "bob" } };

async function fuzz(routes: Routes): Promise<string[]> {
  const app = await createTestApp(moduleOf(routes), api(), { log: { level: "silent" }, checkContracts: false });
  try {
    await fuzzAccess(app, { as, seed: 7 });
    return [];
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    return error.findings.map(({ kind, operation, place }) => `${kind} ${operation} ${place}`);
  } finally {
    await app.stop();
  }
}

const Note = dto({ id: string("required"), text: string("required"), is_done: boolean("required") });

/** Notes whose `is_done` each PATCH toggles. Foreign ones are shown to the first `leaks` requests for them. */
function toNotes(leaks: number): Routes {
  const notes = new Map<string, { id: string; text: string; is_done: boolean; owner: string }>();
  let left = leaks;
  const find = (id: string, user: string) => {
    const note = notes.get(id);
    if (note === undefined || (note.owner !== user && (user === "" || left-- <= 0)))
      throw new HttpError(404, "Not Found");
    return note;
  };
  const params = dto({ id: string("required") });
  const body = Note.pick("text");
  return [
    {
      method: "POST",
      path: "/notes",
      handler: endpoint({ operationId: "notes.create", body, returns: { 201: Note } }, (ctx, input) => {
        const note = { ...input.body, id: `note-${notes.size}-of-many`, is_done: false, owner: ctx.header("x-user") };
        notes.set(note.id, note);
        return note;
      }),
    },
    {
      method: "GET",
      path: "/notes/:id",
      handler: endpoint({ operationId: "notes.show", params, returns: Note }, (ctx, input) =>
        find(input.params.id, ctx.header("x-user")),
      ),
    },
    {
      method: "PATCH",
      path: "/notes/:id",
      handler: endpoint({ operationId: "notes.toggle", params, body, returns: Note }, (ctx, input) => {
        const note = notes.get(input.params.id);
        if (note?.owner !== ctx.header("x-user")) throw new HttpError(404, "Not Found");
        return Object.assign(note, input.body, { is_done: !note.is_done });
      }),
    },
  ];
}

const cases: readonly [name: string, routes: Routes, expected: readonly string[]][] = [
  ["a boolean that an update toggles is not assigned", toNotes(0), []],
  ["what does not show again is not reported", toNotes(1), []],
  ["what shows again is reported", toNotes(Number.POSITIVE_INFINITY), ["read notes.show :id"]],
];

for (const [name, routes, expected] of cases) {
  test(name, async () => assert.deepEqual(await fuzz(routes), expected));
}
