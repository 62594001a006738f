import assert from "node:assert/strict";
import { test } from "node:test";
import { api, boolean, dto, endpoint, file, HttpError, type Routes, string } from "@tenon/core";
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

interface ItemsOptions {
  /** The field that its path names: `/items/:slug`. */
  readonly key: "id" | "slug" | "code";
  readonly isOpen?: boolean;
  /** Whether users have items of the same ids. */
  readonly isPerUser?: boolean;
}

/** Items with serial ids that belong to another system. */
function toItems({ key, isOpen = false, isPerUser = false }: ItemsOptions): Routes {
  const items = new Map<string, Record<string, string> & { text: string }>();
  const Item = dto({ [key]: string("required"), text: string("required") });
  const body = dto({ text: string("required"), external_id: string("required") });
  return [
    {
      method: "POST",
      path: "/items",
      handler: endpoint({ operationId: "items.create", body, returns: { 201: Item } }, (ctx, input) => {
        const user = ctx.header("x-user");
        const own = [...items.keys()].filter((one) => one.startsWith(user)).length;
        const id = `item${isPerUser ? own : items.size}`;
        const item = { ...input.body, [key]: id };
        items.set(`${user} ${id}`, item);
        return item;
      }),
    },
    {
      method: "GET",
      path: `/items/:${key}`,
      handler: endpoint(
        { operationId: "items.show", params: dto({ [key]: string("required") }), returns: Item },
        (ctx, input) => {
          const id = String(input.params[key]);
          const open = isOpen ? [...items].find(([name]) => name.endsWith(` ${id}`))?.[1] : undefined;
          const item = items.get(`${ctx.header("x-user")} ${id}`) ?? open;
          if (item === undefined) throw new HttpError(404, "Not Found");
          return item;
        },
      ),
    },
  ];
}

const Upload = dto({ id: string("required") });

/** Files of each user by their names, shown to all users. */
function toFiles(): Routes {
  const files = new Set<string>();
  return [
    {
      method: "POST",
      path: "/files",
      handler: endpoint(
        { operationId: "files.create", body: { form: dto({ content: file("required") }) }, returns: { 201: Upload } },
        (ctx, input) => {
          const id = input.body.content.name;
          files.add(`${ctx.header("x-user")} ${id}`);
          return { id };
        },
      ),
    },
    {
      method: "GET",
      path: "/files/:id",
      handler: endpoint({ operationId: "files.show", params: Upload, returns: Upload }, (_, { params }) => {
        if (![...files].some((one) => one.endsWith(` ${params.id}`))) throw new HttpError(404, "Not Found");
        return params;
      }),
    },
  ];
}

/** Settings by the keys that clients choose, which belong to nobody, beside notes. */
function toSettings(): Routes {
  const settings = new Map<string, { text: string }>();
  const params = dto({ key: string("required") });
  const Setting = dto({ text: string("required") });
  return [
    ...toNotes(0),
    {
      method: "PUT",
      path: "/settings/:key",
      handler: endpoint({ operationId: "settings.put", params, body: Setting, returns: Setting }, (_, input) => {
        settings.set(input.params.key, input.body);
        return input.body;
      }),
    },
    {
      method: "GET",
      path: "/settings/:key",
      handler: endpoint({ operationId: "settings.show", params, returns: Setting }, (_, input) => {
        return settings.get(input.params.key) ?? { text: "none" };
      }),
    },
  ];
}

const cases: readonly [name: string, routes: Routes, expected: readonly string[]][] = [
  ["a boolean that an update toggles is not assigned", toNotes(0), []],
  ["what does not show again is not reported", toNotes(1), []],
  ["what shows again is reported", toNotes(Number.POSITIVE_INFINITY), ["read notes.show :id"]],
  ["an id of another system is any text", toItems({ key: "id", isOpen: true }), ["read items.show :id"]],
  ["an id that the attacker has too is not foreign", toItems({ key: "id", isPerUser: true }), []],
  ["files of each user are named apart", toFiles(), ["read files.show :id"]],
  ["an object is known by its slug", toItems({ key: "slug", isOpen: true }), ["read items.show :slug"]],
  ["an object is known by the field of its path", toItems({ key: "code", isOpen: true }), ["read items.show :code"]],
];

for (const [name, routes, expected] of cases) {
  test(name, async () => assert.deepEqual(await fuzz(routes), expected));
}

test("what has an id that its client chooses counts as not attacked", async () => {
  await assert.rejects(
    fuzz(toSettings()),
    /settings\.put \(PUT \S+ was not attacked[\s\S]* settings\.show \(GET \S+ was not attacked/,
  );
});
