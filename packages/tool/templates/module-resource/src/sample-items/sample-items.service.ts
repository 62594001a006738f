import { randomUUID } from "node:crypto";
import { inject } from "@tenon/core";
import { Database, Migrations } from "@tenon/data";
import type { Schema } from "../database/schema.ts";
import type { CreateSampleItemDTO, PageQuery, UpdateSampleItemDTO } from "./sample-items.dto.ts";
import { migrations } from "./sample-items.migrations.ts";
import type { SampleItem } from "./sample-items.record.ts";

export class SampleItemsService {
  readonly #db = inject(Database<Schema>);

  constructor() {
    inject(Migrations).add(migrations);
  }

  /** Newest first. */
  list({ limit, offset }: PageQuery): Promise<SampleItem[]> {
    const newest = this.#db.selectFrom("sample_items").selectAll().orderBy("created_at", "desc");
    return newest.orderBy("id", "desc").limit(limit).offset(offset).execute();
  }

  find(id: string): Promise<SampleItem | undefined> {
    return this.#db.selectFrom("sample_items").selectAll().where("id", "=", id).executeTakeFirst();
  }

  async create(input: CreateSampleItemDTO): Promise<SampleItem> {
    const now = new Date().toISOString();
    const created: SampleItem = { id: randomUUID(), ...input, created_at: now, updated_at: now };
    await this.#db.insertInto("sample_items").values(created).execute();
    return created;
  }

  /** Undefined for an unknown id. */
  update(id: string, input: UpdateSampleItemDTO): Promise<SampleItem | undefined> {
    const changes = { ...input, updated_at: new Date().toISOString() };
    const query = this.#db.updateTable("sample_items").set(changes).where("id", "=", id);
    return query.returningAll().executeTakeFirst();
  }

  /** False for an unknown id. */
  async delete(id: string): Promise<boolean> {
    const query = this.#db.deleteFrom("sample_items").where("id", "=", id);
    return (await query.returning("id").executeTakeFirst()) !== undefined;
  }
}
