/** What clients read when a statement fails, on any route that uses the database. */
export const storeFailures = ["constraint violation", "store failure", "store unavailable"] as const;
