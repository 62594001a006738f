const colors = new Map(Object.entries({ trace: 90, debug: 90, info: 32, warn: 33, error: 31, fatal: 31 }));

/** A JSON line → text for people. */
export function toPrettyLine(line: string, color: boolean): string {
  const { level, time, name, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>; // pino writes one object a line
  const paint = (code: number, text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const label = String(level);
  const parts = [
    paint(90, plain(String(time)).slice(11, 23)),
    paint(colors.get(label) ?? 0, plain(label).toUpperCase().padEnd(5)),
    name === undefined ? "" : paint(36, plain(String(name))),
    msg === undefined ? "" : plain(String(msg)),
    ...Object.entries(fields).map(([key, value]) => paint(90, `${plain(key)}=${plain(toText(value))}`)),
  ];
  const head = parts.filter((part) => part !== "").join(" ");
  return err === undefined ? `${head}\n` : `${head}\n${indent(toErrorText(err))}\n`;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function toErrorText(err: unknown): string {
  if (typeof err !== "object" || err === null || !("stack" in err)) return toText(err);
  const cause = "cause" in err ? `\ncaused by ${toErrorText(err.cause)}` : "";
  const errors = "errors" in err && Array.isArray(err.errors) ? err.errors : [];
  return `${String(err.stack)}${errors.map((inner) => `\none of ${toErrorText(inner)}`).join("")}${cause}`;
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${plain(line.trim())}`)
    .join("\n");
}

/** Control characters from the wire would move the cursor or forge a line, direction marks would reorder it. */
function plain(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, toEscape);
}

export function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
