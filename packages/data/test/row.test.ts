import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  array,
  boolean,
  date,
  dto,
  type Infer,
  integer,
  type JsonValue,
  json,
  literal,
  nested,
  number,
  record,
  string,
  timestamp,
} from "@tenon/core";
import { Database, type Row, toRow } from "@tenon/data";
import { databases, withStores } from "./support/stores.ts";

/** Every kind of field that a table can hold: required, with a default, nullable and optional. */
const Item = dto("Item", {
  id: string("required"),
  title: string("required", "max=200"),
  note: string("nullable"),
  state: string("oneof=new old", "default=new"),
  count: integer("required"),
  rank: integer("nullable"),
  price: number("required"),
  weight: number(),
  amount: string("required", "decimal"),
  owner: string("uuid", "nullable"),
  done: boolean("default=false"),
  checked: boolean("nullable"),
  due_on: date("required"),
  ended_on: date("nullable"),
  seen_at: timestamp("required"),
  left_at: timestamp("nullable"),
  level: literal(["low", "high"]),
  tags: array(string(), "required"),
  scores: record(number(), "nullable"),
  place: nested(dto({ since: timestamp("required") })),
  extra: json(),
  created_at: timestamp("required"),
});
type Item = Row<typeof Item>;
const CreateItem = Item.omit("id", "created_at").named("CreateItem");
const UpdateItem = CreateItem.partial().named("UpdateItem");

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const isExact: Equal<
  Item,
  {
    id: string;
    title: string;
    note: string | null;
    state: "new" | "old";
    count: number;
    rank: number | null;
    price: number;
    weight: number | null;
    amount: string;
    owner: string | null;
    done: boolean;
    checked: boolean | null;
    due_on: string;
    ended_on: string | null;
    seen_at: string;
    left_at: string | null;
    level: "low" | "high" | null;
    tags: string[];
    scores: Record<string, number> | null;
    place: { since: string } | null;
    extra: JsonValue;
    created_at: string;
  }
> = true;

interface Schema {
  items: Item;
}

async function createItems(db: Database<Schema>): Promise<void> {
  await db.schema
    .createTable("items")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("title", "text", (column) => column.notNull())
    .addColumn("note", "text")
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("count", "integer", (column) => column.notNull())
    .addColumn("rank", "integer")
    .addColumn("price", "double precision", (column) => column.notNull())
    .addColumn("weight", "double precision")
    .addColumn("amount", "numeric", (column) => column.notNull())
    .addColumn("owner", "uuid")
    .addColumn("done", "boolean", (column) => column.notNull())
    .addColumn("checked", "boolean")
    .addColumn("due_on", "date", (column) => column.notNull())
    .addColumn("ended_on", "date")
    .addColumn("seen_at", "timestamptz(3)", (column) => column.notNull())
    .addColumn("left_at", "timestamptz(3)")
    .addColumn("level", "text")
    .addColumn("tags", "jsonb", (column) => column.notNull())
    .addColumn("scores", "jsonb")
    .addColumn("place", "jsonb")
    .addColumn("extra", "jsonb")
    .addColumn("created_at", "timestamptz(3)", (column) => column.notNull())
    .execute();
}

const owner = "123e4567-e89b-42d3-a456-426614174000";
const time = "2026-11-17T02:16:31.500Z";
const least: Infer<typeof CreateItem> = {
  title: "First",
  state: "new",
  count: 2 ** 31 - 1,
  price: 1,
  amount: "9007199254740993.10",
  done: false,
  due_on: "2026-11-17",
  seen_at: new Date("2026-11-17T04:16:31.500+02:00"),
  tags: [],
};
const leastRow: Item = {
  ...{ id: "a", title: "First", note: null, state: "new", count: 2 ** 31 - 1, rank: null, price: 1, weight: null },
  ...{ done: false, checked: null, due_on: "2026-11-17", ended_on: null, seen_at: time, left_at: null, level: null },
  ...{ amount: "9007199254740993.10", owner: null, tags: [], scores: null, place: null, extra: null, created_at: time },
};
const most: Infer<typeof UpdateItem> = {
  ...{ note: "", state: "old", rank: -1, weight: 0.1, done: true, checked: false, ended_on: "2026-11-18" },
  ...{ left_at: new Date(time), level: "low", tags: ["a, b", '"'], scores: { x: 1.5 } },
  ...{ place: { since: new Date(time) }, extra: "text", amount: "-0.50", owner: owner.toUpperCase() },
};
const mostRow: Item = {
  ...{ ...leastRow, note: "", state: "old", rank: -1, weight: 0.1, done: true, checked: false },
  ...{ ended_on: "2026-11-18", left_at: time, level: "low", tags: ["a, b", '"'], scores: { x: 1.5 } },
  ...{ place: { since: time }, extra: "text", amount: "-0.50", owner },
};

test("a row has every field, with null for one that may be absent, and times as text", () => {
  assert.ok(isExact);
});

test("columns of an input are those of its DTO only", () => {
  const input = { title: "First", id: "other", role: "admin" };
  assert.deepEqual(toRow(CreateItem.pick("title", "note"), input), { title: "First" });
});

for (const adapter of databases) {
  describe(`rows on ${adapter.name}`, () => {
    test("a query gives what the type says, for every kind of field", () =>
      adapter.with((options) =>
        withStores(options, async (app) => {
          const db = app.get(Database<Schema>);
          await createItems(db);
          const row = { id: "a", ...toRow(CreateItem, least), created_at: time };
          const created: Item = await db.insertInto("items").values(row).returningAll().executeTakeFirstOrThrow();
          assert.deepEqual(created, leastRow);
          const changes = toRow(UpdateItem, most);
          await db.updateTable("items").set(changes).where("id", "=", "a").execute();
          const found: Item[] = await db.selectFrom("items").selectAll().execute();
          assert.deepEqual(found, [mostRow]);
          await db
            .updateTable("items")
            .set(toRow(UpdateItem, { note: null, checked: null, left_at: null, scores: null, extra: null }))
            .execute();
          assert.deepEqual(await db.selectFrom("items").selectAll().executeTakeFirst(), {
            ...{ ...mostRow, note: null, checked: null, left_at: null, scores: null, extra: null },
          });
        }),
      ));
  });
}
