import { escapeText, toEscape } from "../log/log-pretty.ts";

const ascii = /^[\x20-\x7e]*$/;
/** Drawn two cells wide: East Asian characters and emoji. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
const segmenter = new Intl.Segmenter();

/** How many cells of a terminal a text takes. */
export function widthOf(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const [, cells] of measure(text)) width += cells;
  return width;
}

export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** As much of a text as fits, with an ellipsis where it was cut. */
export function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let room = width - 1;
  for (const [character, cells] of measure(text)) {
    room -= cells;
    if (room < 0) break;
    kept += character;
  }
  return `${kept}…`;
}

function* measure(text: string): Generator<readonly [character: string, cells: number]> {
  for (const { segment } of segmenter.segment(text)) yield [segment, wide.test(segment) ? 2 : 1];
}

const names: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

export function showControls(text: string): string {
  return escapeText(text, (character) => names[character] ?? toEscape(character));
}

/** A message as one line. */
export function toOneLine(text: string): string {
  return showControls(text.trim().replaceAll(/\s*\n\s*/g, " "));
}

/** A text and what it means. */
export type Entry = readonly [left: string, right: string];

const margin = "  ";

/** Breaks a text between words. A word that is longer than a line stays whole, so that it can be copied. */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((paragraph) => wrapLine(paragraph, width));
}

function wrapLine(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** Two columns, the second one wrapped. */
export function alignEntries(entries: readonly Entry[], width: number): string[] {
  const left = Math.max(...entries.map(([text]) => widthOf(text)));
  const start = 2 * margin.length + Math.min(left, Math.floor(width / 2));
  return entries.flatMap((entry) => align(entry, start, width));
}

function align([left, right]: Entry, start: number, width: number): string[] {
  const indent = " ".repeat(start);
  const lines = right === "" ? [] : wrap(right, width - start);
  const head = pad(`${margin}${left}`, start);
  if (widthOf(head) > start) return [head.trimEnd(), ...lines.map((line) => `${indent}${line}`)];
  return [`${head}${lines[0] ?? ""}`.trimEnd(), ...lines.slice(1).map((line) => `${indent}${line}`)];
}
