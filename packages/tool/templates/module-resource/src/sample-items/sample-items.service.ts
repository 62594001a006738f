import { randomUUID } from "node:crypto";
import { {% if (checked.length > 0) { %}BindError, {% } %}inject } from "@tenon/core";
import { Database, isUuid, Migrations, type PageQuery, paginate, toRow } from "@tenon/data";
import type { Schema } from "../database/schema.ts";
import { {%= sortNames(["CreateSampleItem", "type SampleItem", "UpdateSampleItem"]) %} } from "./sample-items.dto.ts";
import { migrations } from "./sample-items.migrations.ts";

export class SampleItemsService {
  readonly #db = inject(Database<Schema>);

  constructor() {
    inject(Migrations).add(migrations);
  }

{% if (owner) { -%}
  /** Those of a user, newest first. */
  list(userId: string, query: PageQuery) {
    const own = this.#db.selectFrom("sample_items").selectAll().where("user_id", "=", userId);
    return paginate(own, { by: ["created_at", "desc"], ...query });
  }
{% } -%}
{% if (owner && commands) { -%}

{% } -%}
{% if (!owner || commands) { -%}
  /** {%= owner ? "Those of all users, newest" : "Newest" %} first. */
  {%= owner ? "listAll" : "list" %}(query: PageQuery) {
    return paginate(this.#db.selectFrom("sample_items").selectAll(), { by: ["created_at", "desc"], ...query });
  }
{% } -%}

  /** Undefined for an unknown id. */
  async find(id: string): Promise<SampleItem | undefined> {
    if (!isUuid(id)) return undefined; // PostgreSQL cannot look for it
    return this.#db.selectFrom("sample_items").selectAll().where("id", "=", id).executeTakeFirst();
  }

  {% if (checked.length > 0) { %}async {% } %}create({% if (owner) { %}userId: string, {% } %}input: CreateSampleItem): Promise<SampleItem> {
{% if (checked.length > 0) { -%}
    await this.#checkReferences({% if (checksOwner) { %}userId, {% } %}input);
{% } -%}
    const now = new Date().toISOString();
    const created = { id: randomUUID(), ...toRow(CreateSampleItem, input), {% if (owner) { %}user_id: userId, {% } %}created_at: now, updated_at: now };
    return this.#db.insertInto("sample_items").values(created).returningAll().executeTakeFirstOrThrow();
  }

  /** An absent field stays as it is. Undefined for an unknown id. */
  async update(id: string, input: UpdateSampleItem): Promise<SampleItem | undefined> {
{% if (checksOwner) { -%}
    const found = await this.find(id);
    if (found === undefined) return undefined;
    await this.#checkReferences(found.user_id, input);
{% } else { -%}
    if (!isUuid(id)) return undefined;
{% } -%}
{% if (checked.length > 0 && !checksOwner) { -%}
    await this.#checkReferences(input);
{% } -%}
    const changes = { ...toRow(UpdateSampleItem, input), updated_at: new Date().toISOString() };
    const query = this.#db.updateTable("sample_items").set(changes).where("id", "=", id);
    return query.returningAll().executeTakeFirst();
  }

  /** False for an unknown id. */
  async delete(id: string): Promise<boolean> {
    if (!isUuid(id)) return false;
    const query = this.#db.deleteFrom("sample_items").where("id", "=", id);
    return (await query.returning("id").executeTakeFirst()) !== undefined;
  }
{% if (shown.length > 0) { -%}

  /** With the names of the rows that it refers to. */
  async findWithNames(id: string) {
    if (!isUuid(id)) return undefined;
    return this.#db
      .selectFrom("sample_items")
{% for (const { table, variable, name } of shown) { -%}
      .leftJoin("{%= table %} as {%= variable %}Row", "{%= variable %}Row.id", "sample_items.{%= name %}")
{% } -%}
      .selectAll("sample_items")
{% const names = shown.map(({ variable, shownColumn, alias }) => `"${variable}Row.${shownColumn} as ${alias}"`); -%}
      .select({%= names.length === 1 ? names[0] : `[${names.join(", ")}]` %})
      .where("sample_items.id", "=", id)
      .executeTakeFirst();
  }
{% } -%}
{% if (choices.length > 0) { -%}

  /** The rows that a form offers for the references: the first 500 of each table. */
  async findChoices() {
    return {
{% for (const { table, shownColumn } of choices) { -%}
      {%= table %}: await this.#db.selectFrom("{%= table %}").select(["id", "{%= shownColumn %} as label"]).orderBy("{%= shownColumn %}").limit(500).execute(),
{% } -%}
    };
  }
{% } -%}
{% if (checked.length > 0) { -%}

  /** Rejects the id of a row that does not exist{% if (checksOwner) { %}, or belongs to another user{% } %}. */
  async #checkReferences({% if (checksOwner) { %}userId: string, {% } %}input: UpdateSampleItem): Promise<void> {
{% for (const { name, table, variable, isOwned } of checked) { -%}
    if (input.{%= name %}) {
      const {%= variable %} = await this.#db.selectFrom("{%= table %}").select("id").where("id", "=", input.{%= name %}){% if (checksOwner && isOwned) { %}.where("user_id", "=", userId){% } %}.executeTakeFirst();
      if ({%= variable %} === undefined) throw new BindError([{ path: "{%= name %}", rule: "exists", message: "does not exist" }]);
    }
{% } -%}
  }
{% } -%}
}
