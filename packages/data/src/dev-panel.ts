import { randomBytes } from "node:crypto";
import { inject } from "@tenon/core";
import { type DevPanel, type DevPanelSource, type DevSection, type DevStatement, Redactor } from "@tenon/core/platform";
import { CompiledQuery } from "kysely";
import { Cache } from "./cache/cache.ts";
import { Database } from "./database/database.ts";
import { KeyValue } from "./key-value/key-value.ts";
import type { StoreEntry } from "./store-entry.ts";

const mostEntries = 100;
const longestText = 300;
const redactor = new Redactor();

/** What the developer tools show of the stores of one data module. */
export class StorePanels implements DevPanelSource {
  readonly #module: string;
  readonly #database = inject(Database);
  readonly #keyValue = inject(KeyValue);
  readonly #cache = inject(Cache);

  /** `module` is the name of the data module: an application may have several. */
  constructor(module: string) {
    this.#module = module;
  }

  devPanels(): readonly DevPanel[] {
    const id =
      this.#module === "data" ? "stores" : `stores-${this.#module.replaceAll(/[^a-z0-9]+/gi, "-").toLowerCase()}`;
    return [
      {
        id,
        title: this.#module === "data" ? "Stores" : `Stores of ${this.#module}`,
        read: () => this.#read(),
        actions: {
          "delete-key": async ({ key = "" }) =>
            (await this.#keyValue.delete(key)) ? `Deleted ${key}.` : `There is no key ${key}.`,
          "delete-cached": async ({ key = "" }) => {
            await this.#cache.delete(key);
            return `Deleted ${key} from the cache.`;
          },
        },
        explain: (statement) => this.#explain(statement),
      },
    ];
  }

  async #read(): Promise<DevSection[]> {
    return [
      toSection("Cache", await this.#cache.list(mostEntries), "delete-cached"),
      toSection("Key-value store", await this.#keyValue.list(mostEntries), "delete-key"),
    ];
  }

  /** For any values of the placeholders, because the values of a recorded statement are not kept. */
  async #explain({ database, sql }: DevStatement): Promise<string | undefined> {
    if (database !== this.#database.kind) return undefined;
    if (!/^\s*(?:select|insert|update|delete|with|values)\b/i.test(sql)) return "Only queries and changes have a plan.";
    if (/;\s*\S/.test(sql)) return "This text may hold several statements, which cannot be explained together.";
    return database === "sqlite" ? this.#explainSqlite(sql) : this.#explainPostgres(sql);
  }

  async #explainSqlite(sql: string): Promise<string> {
    const { rows } = await this.#database.executeQuery(CompiledQuery.raw(`explain query plan ${sql}`));
    const steps = rows as { readonly id: number; readonly parent: number; readonly detail: string }[]; // the columns of EXPLAIN QUERY PLAN
    const depths = new Map<number, number>([[0, 0]]);
    return steps
      .map(({ id, parent, detail }) => {
        const depth = depths.get(parent) ?? 0;
        depths.set(id, depth + 1);
        return `${"  ".repeat(depth)}${detail}`;
      })
      .join("\n");
  }

  /** By a prepared statement and its generic plan: `explain (generic_plan)` needs PostgreSQL 16. */
  #explainPostgres(sql: string): Promise<string> {
    const name = `tenon_explain_${randomBytes(6).toString("hex")}`;
    const count = Math.max(0, ...sql.matchAll(/\$(\d+)/g).map(([, number]) => Number(number)));
    const values = count === 0 ? "" : `(${Array.from({ length: count }, () => "null").join(", ")})`;
    return this.#database
      .transaction()
      .execute(async (transaction) => {
        const run = (text: string) => transaction.executeQuery(CompiledQuery.raw(text));
        await run("set local plan_cache_mode = force_generic_plan");
        await run(`prepare ${name} as ${sql}`);
        const { rows } = await run(`explain execute ${name}${values}`);
        await run(`deallocate ${name}`);
        return (rows as { readonly "QUERY PLAN": string }[]).map((row) => row["QUERY PLAN"]).join("\n"); // the column of EXPLAIN
      })
      .catch((error) => `There is no plan: ${error.cause instanceof Error ? error.cause.message : error}`);
  }
}

function toSection(heading: string, entries: readonly StoreEntry[], action: string): DevSection {
  return {
    heading,
    ...(entries.length < mostEntries ? {} : { note: `The first ${mostEntries} entries.` }),
    columns: ["Key", "Value", "Size", "Expires in", ""],
    rows: entries.map(({ key, text, ttl }) => [
      { text: key, kind: "code" },
      { text: toShown(key, text), kind: "code" },
      text.length,
      Number.isFinite(ttl) ? `${Math.round(ttl)} s` : "never",
      { text: "Delete", action, input: { key } },
    ]),
  };
}

/** Redacted like a log line: by the key, and by the names inside the value. */
function toShown(key: string, text: string): string {
  if (redactor.isSecret(key)) return "[redacted]";
  const { value } = redactor.redact({ value: parse(text) });
  const shown = JSON.stringify(value) ?? "";
  return shown.length > longestText ? `${shown.slice(0, longestText)}…` : shown;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
