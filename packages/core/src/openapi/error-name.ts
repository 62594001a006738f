/** What an error response declares: its name depends on nothing else, so that other routes never change it. */
export interface NamedError {
  readonly status: number;
  /** Sorted. */
  readonly messages: readonly string[];
  /** The name of the status: `Not Found`. */
  readonly reason: string;
  /** The names of all statuses, by `toPascal()`: "Not found" is not the same message as "Not Found". */
  readonly reasons: ReadonlyMap<string, string>;
  /** Whether the same messages have another schema with another status. */
  readonly dependsOnStatus: boolean;
}

const longestName = 6; // words
const sentence = /^[A-Z][a-z0-9]*(?: [a-z0-9]+)*$/;

/**
 * `PostNotFoundError` for the message "Post not found", `InvalidTokenOrUnauthorizedError` for two messages. Messages
 * from which no name can be made, or not one of their own, have a digest: `ConflictError_1k2j3h`.
 */
export function toErrorName(error: NamedError, ending = "Error"): string {
  const { status, messages, reason, reasons, dependsOnStatus } = error;
  const names = messages.map((message) => {
    const name = toPascal(message);
    const isOwn = reasons.has(name) ? reasons.get(name) === message : sentence.test(message);
    return isOwn ? name : "";
  });
  const joined = names.join("Or");
  const words = messages.flatMap(wordsOf).length;
  if (names.includes("") || words > longestName) {
    return `${toPascal(reason).replace(/Error$/, "")}${ending}_${digestOf([status, messages])}`;
  }
  return `${joined.replace(/Error$/, "")}${ending}${dependsOnStatus ? status : ""}`;
}

/** A few characters that differ for other content (FNV-1a, 32 bits). */
export function digestOf(content: unknown): string {
  let hash = 0x811c9dc5;
  for (const character of JSON.stringify(content)) {
    hash = Math.imul(hash ^ Number(character.codePointAt(0)), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}

/** `NotFound` for "Not Found". */
export function toPascal(text: string): string {
  return wordsOf(text)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

function wordsOf(text: string): string[] {
  return text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
}
