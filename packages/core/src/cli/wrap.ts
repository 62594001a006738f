import { pad, widthOf } from "./text.ts";

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
