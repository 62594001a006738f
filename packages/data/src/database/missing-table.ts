/** The cause of a StoreError about a table that does not exist. It is for the log: a client reads the store's own words. */
export class MissingTable extends Error {
  constructor(table: string, cause: unknown) {
    const cure =
      "If a migration is running, wait for its end. If not, run `tenon migrate up`, or add one that creates it.";
    super(`The table ${table} does not exist. ${cure}`, { cause });
  }
}
