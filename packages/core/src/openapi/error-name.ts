const longestName = 5; // words: a longer message is a sentence

/** `PostNotFoundError` for the message "Post not found"; for several messages, after the status: `UnauthorizedError`. */
export function toErrorName(messages: Iterable<string>, reason: string): string {
  const [message = "", ...others] = messages;
  const isPlain = others.length === 0 && /^[A-Za-z][\x20-\x7e]*$/.test(message);
  const words = isPlain ? wordsOf(message) : [];
  const chosen = words.length > 0 && words.length <= longestName ? words : wordsOf(reason);
  const name = chosen.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return `${name.replace(/Error$/, "")}Error`;
}

function wordsOf(text: string): string[] {
  return text
    .replaceAll("'", "")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
}
