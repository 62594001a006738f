/** Characters of an error that are kept. */
const longest = 8000;

/** An error as text: its stack and those of its causes. PostgreSQL stores neither U+0000 nor half a surrogate pair. */
export function toErrorText(error: unknown): string {
  const parts: string[] = [];
  let current = error;
  do {
    parts.push(describe(current));
    current = current instanceof Error ? current.cause : undefined;
  } while (current !== undefined && parts.length < 5);
  return parts.join("\ncaused by ").slice(0, longest).replaceAll("\0", "").toWellFormed();
}

function describe(error: unknown): string {
  try {
    return error instanceof Error
      ? String(error.stack ?? `${error.name}: ${error.message}`)
      : `thrown: ${String(error)}`;
  } catch {
    return "thrown: a value without a text"; // such as Object.create(null)
  }
}

export function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
