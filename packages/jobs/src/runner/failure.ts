/** Characters of an error that are kept. */
const longest = 8000;

/** An error as text: its stack and those of its causes. PostgreSQL stores neither U+0000 nor half a surrogate pair. */
export function describeFailure(error: unknown): string {
  const parts: string[] = [];
  for (let current = error; current !== undefined && parts.length < 5; ) {
    parts.push(
      current instanceof Error
        ? (current.stack ?? `${current.name}: ${current.message}`)
        : `thrown: ${String(current)}`,
    );
    current = current instanceof Error ? current.cause : undefined;
  }
  return parts.join("\ncaused by ").slice(0, longest).replaceAll("\0", "").toWellFormed();
}

export function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
