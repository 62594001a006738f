const codes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as HTML, between tags and inside quoted attributes. */
export function escapeHtml(text: unknown): string {
  return String(text).replaceAll(/[&<>"']/g, (character) => codes[character] as string); // the pattern takes no other
}
