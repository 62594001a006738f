import { styleText } from "node:util";
import { toAccessText } from "./access-text.ts";
import { toErrorText } from "./logged-error.ts";

type Style = Parameters<typeof styleText>[0];

const levelStyles = new Map<string, Style>(
  Object.entries({ trace: "gray", debug: "gray", info: "green", warn: "yellow", error: "red", fatal: "red" } as const),
);

/** Columns of a line of the access log in development, and of its time and level. */
const columns = 100;
const startColumns = 19;

export interface PrettyOptions {
  readonly color: boolean;
  /** Shows the source of errors, and shortens the lines of the access log. Defaults to false. */
  readonly development?: boolean;
}

/** A JSON line → text for people. */
export function toPrettyLine(line: string, { color, development = false }: PrettyOptions): string {
  const { level, time, name, err, ...content } = JSON.parse(line) as Record<string, unknown>; // pino writes one object a line
  const access = development && name === undefined ? toAccessText(content, columns - startColumns) : undefined;
  const { msg, ...others } = content;
  const { message = msg, fields = others } = access ?? {};
  const label = String(level);
  const parts = [
    paint("gray", escapeText(String(time)).slice(11, 23), color),
    paint(levelStyles.get(label) ?? "reset", escapeText(label).toUpperCase().padEnd(5), color),
    name === undefined ? "" : paint("cyan", escapeText(String(name)), color),
    message === undefined ? "" : escapeText(String(message)),
    ...Object.entries(fields).map(([key, value]) =>
      paint("gray", `${escapeText(key)}=${escapeText(toText(value))}`, color),
    ),
  ];
  const head = parts.filter((part) => part !== "").join(" ");
  return err === undefined ? `${head}\n` : `${head}\n${indent(toErrorText(err, development))}\n`;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
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
