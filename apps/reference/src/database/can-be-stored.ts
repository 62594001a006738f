/** PostgreSQL fails on U+0000, where SQLite finds nothing: a text from a path or a query is asked first. */
export function canBeStored(text: string): boolean {
  return !text.includes("\0");
}
