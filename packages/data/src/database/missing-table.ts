/** The cause of a StoreError about a table that does not exist. It is for the log: a client reads the store's own words. */
export function toMissingTable(name: string, error: unknown): Error {
  const cure = "Run the migrations with `tenon migrate up`, or add one that creates it.";
  return new Error(`The table ${name} does not exist. ${cure}`, { cause: error });
}
