import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

const levelStyles = new Map<string, Style>(
  Object.entries({ trace: "gray", debug: "gray", info: "green", warn: "yellow", error: "red", fatal: "red" } as const),
);

/** The fields of a line. `err` is the copy of an error, or its text. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A JSON line → text for people. `adapt` changes its fields before. */
export function toPrettyLine(line: string, color: boolean, adapt?: (fields: LogFields) => LogFields): string {
  const parsed = JSON.parse(line) as LogFields; // pino writes one object a line
  const { level, time, name, err, msg, ...fields } = adapt?.(parsed) ?? parsed;
  const label = String(level);
  const parts = [
    paint("gray", escapeText(String(time)).slice(11, 23), color),
    paint(levelStyles.get(label) ?? "reset", escapeText(label).toUpperCase().padEnd(5), color),
    name === undefined ? "" : paint("cyan", escapeText(String(name)), color),
    msg === undefined ? "" : escapeText(String(msg)),
    ...Object.entries(fields).map(([key, value]) =>
      paint("gray", `${escapeText(key)}=${escapeText(toText(value))}`, color),
    ),
  ];
  const head = parts.filter((part) => part !== "").join(" ");
  return err === undefined ? `${head}\n` : `${head}\n${indent(toErrorText(err))}\n`;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** An error as text, with its causes. */
function toErrorText(err: unknown): string {
  const { stack, development, errors, cause } = Object(err) as LogFields; // a line may have any value there
  if (typeof stack !== "string") return toText(err);
  return [
    ...stack.split("\n").map((line) => line.trim()),
    ...Object.entries((typeof development === "object" && development) || {}).map(
      ([name, value]) => `${name}: ${toText(value)}`,
    ),
    ...(Array.isArray(errors) ? errors.map((inner: unknown) => `one of ${toErrorText(inner)}`) : []),
    ...(cause === undefined ? [] : [`caused by ${toErrorText(cause)}`]),
  ].join("\n");
}

function indent(text: string): string {
  const lines = text.split("\n").map((line) => `    ${escapeText(line)}`.trimEnd());
  return lines.join("\n");
}

/** Control characters would move the cursor or forge a line, direction marks would reorder it. */
export function escapeText(text: string, show: (character: string) => string = toEscape): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, show);
}

export function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** With `color`, text that a terminal shows in this style. The caller knows the terminal and NO_COLOR. */
export function paint(style: Style, text: string, color: boolean): string {
  return color ? styleText(style, text, { validateStream: false }) : text;
}
