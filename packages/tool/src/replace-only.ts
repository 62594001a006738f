/** Replaces a text that another has once. Throws otherwise: an edit that misses must not pass unnoticed. */
export function replaceOnly(text: string, found: string, replacement: string): string {
  const [before = "", after, ...others] = text.split(found);
  if (after === undefined || others.length > 0) {
    throw new Error(
      `expected ${JSON.stringify(found)} once in a text, and found it ${text.split(found).length - 1} times`,
    );
  }
  return `${before}${replacement}${after}`;
}
