import type { SampleItem } from "../sample-items/sample-items.record.ts";

/** The tables of all modules, so that queries across modules are typed: `inject(Database<Schema>)`. */
export interface Schema {
  sample_items: SampleItem;
}
