import { pairUp, type Token, tokenize } from "./tokens.ts";

export const widestLine = 120;

/**
 * Breaks the lines that a long name has made too wide where a formatter would: a chain before each of its calls, and
 * what else there is in templates at the last brackets, an item a line.
 */
export function fitLines(source: string): string {
  return source.split("\n").flatMap(fitLine).join("\n");
}

function fitLine(line: string): string[] {
  if (line.length <= widestLine) return [line];
  const tokens = tokenize(line) ?? [];
  const partners = pairUp(tokens)?.partners ?? new Map<number, number>();
  const indent = /^ */.exec(line)?.[0] ?? "";
  const calls = findCalls(tokens, partners);
  if (calls.length > 1) {
    const [head, ...rest] = [0, ...calls].map((start, index) => line.slice(start, calls[index]));
    return [head ?? "", ...rest.map((call) => `${indent}  ${call}`)];
  }
  const outer = findLastBrackets(tokens, partners);
  if (outer === undefined) return breakTypeArgument(line);
  const inner = findLastArgument(tokens, partners, outer);
  const fits = inner !== undefined && (tokens[inner.open]?.end ?? 0) <= widestLine;
  const { before, items, after } = cut(line, tokens, partners, fits ? inner : outer);
  // formatters leave an import of one name on its line, however wide it is
  if (items.length === 1 && line.startsWith("import ")) return [line];
  return [before, ...items.flatMap((item) => fitLine(`${indent}  ${item},`)), `${indent}${after}`];
}

function breakTypeArgument(line: string): string[] {
  const [, before, argument, after] = /^([^<]+<)(.+)(>;)$/.exec(line) ?? [];
  return before === undefined ? [line] : [before, `  ${argument}`, after ?? ""];
}

/** Where the calls of a chain begin: `.where(` and the like, outside of any brackets. */
function findCalls(tokens: readonly Token[], partners: ReadonlyMap<number, number>): number[] {
  const starts: number[] = [];
  for (let index = 0; index < tokens.length; index = (partners.get(index) ?? index) + 1) {
    if (tokens[index]?.text === "." && tokens[index + 2]?.text === "(") starts.push(tokens[index]?.start ?? 0);
  }
  return starts;
}

interface Brackets {
  readonly open: number;
  readonly close: number;
}

/** Those that are not inside others and hold something. */
function findLastBrackets(tokens: readonly Token[], partners: ReadonlyMap<number, number>): Brackets | undefined {
  let found: Brackets | undefined;
  for (let open = 0; open < tokens.length; open++) {
    const close = partners.get(open);
    if (close === undefined) continue;
    if (close > open + 1 && !isGrouping(tokens, open)) found = { open, close };
    open = close;
  }
  return found;
}

/** Parentheses around an expression take no comma. */
function isGrouping(tokens: readonly Token[], open: number): boolean {
  if (tokens[open]?.text !== "(") return false;
  const before = tokens[open - 1];
  return before?.kind !== "word" || before.text === "return" || before.text === "await";
}

/** An object or a list as the last argument of a call is broken in its place, and the others stay on the line. */
function findLastArgument(
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  { open, close }: Brackets,
): Brackets | undefined {
  if (tokens[open]?.text !== "(") return undefined;
  const inner = tokens.keys().find((index) => index > open && partners.get(index) === close - 1);
  if (inner === undefined || inner + 2 === close || tokens[inner]?.text === "(") return undefined;
  const follows = tokens[inner - 1]?.text === "," && tokens[inner - 2]?.text !== tokens[close - 1]?.text; // no twins
  return inner === open + 1 || follows ? { open: inner, close: close - 1 } : undefined;
}

function cut(
  line: string,
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  { open, close }: Brackets,
): { readonly before: string; readonly items: readonly string[]; readonly after: string } {
  const start = tokens[open]?.end ?? 0;
  const end = tokens[close]?.start ?? line.length;
  const commas: number[] = [];
  for (let index = open + 1; index < close; index = (partners.get(index) ?? index) + 1) {
    if (tokens[index]?.text === ",") commas.push(tokens[index]?.start ?? 0);
  }
  const items = [start, ...commas.map((at) => at + 1)].map((from, index) =>
    line.slice(from, commas[index] ?? end).trim(),
  );
  return { before: line.slice(0, start), items, after: line.slice(end) };
}
