import { widestLine } from "./line-width.ts";
import { pairUp, type Token, tokenize } from "./tokens.ts";

export interface WiredModule {
  /** `BlogPostsModule` */
  readonly name: string;
  /** As the application's module imports it: `./blog-posts/blog-posts.module.ts`. */
  readonly path: string;
}

interface Edit {
  readonly at: number;
  readonly text: string;
  readonly removeTo?: number;
}

/** The source of the application's module with one more import. Undefined when it cannot be understood for sure. */
export function wireModule(source: string, { name, path }: WiredModule): string | undefined {
  const tokens = tokenize(source);
  if (tokens === undefined || tokens.some(({ text }) => text === name)) return undefined;
  const { partners, unclosed } = pairUp(tokens) ?? {};
  if (partners === undefined || unclosed !== 0) return undefined;
  const imports = findImports(tokens, partners);
  if (!imports.some(({ from, names }) => from === "@tenon/core" && names.includes("defineModule"))) return undefined;
  const object = findModuleObject(tokens, imports.at(-1)?.lastToken ?? -1);
  if (object === undefined) return undefined;
  const listing = editList(source, tokens, partners, object, name);
  if (listing === undefined) return undefined;
  const newline = source.includes("\r\n") ? "\r\n" : "\n";
  const line = `import { ${name} } from "${path}";`;
  const next = imports.find(({ from }) => from.startsWith("./") && compare(from, path) > 0);
  const last = imports.at(-1);
  const importing: Edit =
    next !== undefined
      ? { at: next.start, text: `${line}${newline}` }
      : { at: last?.end ?? 0, text: `${newline}${line}` };
  return apply(source, [importing, { ...listing, text: listing.text.replaceAll("\n", newline) }]);
}

const collator = new Intl.Collator("en", { numeric: true });

/** As formatters sort imports: folder by folder, and 2 before 10. */
function compare(left: string, right: string): number {
  const others = right.split("/");
  for (const [index, part] of left.split("/").entries()) {
    const order = collator.compare(part, others[index] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}

interface ImportLine {
  readonly from: string;
  readonly names: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly lastToken: number;
}

/** The import statements at the beginning of the file. */
function findImports(tokens: readonly Token[], partners: ReadonlyMap<number, number>): ImportLine[] {
  const found: ImportLine[] = [];
  let index = 0;
  while (tokens[index]?.text === "import") {
    const start = index;
    while (index < tokens.length && tokens[index]?.kind !== "text") index = (partners.get(index) ?? index) + 1;
    const from = tokens[index];
    const first = tokens[start];
    if (from === undefined || first === undefined) break;
    const names = tokens.slice(start + 1, index).map(({ text }) => text);
    if (tokens[index + 1]?.text === "with") index = partners.get(index + 2) ?? index;
    if (tokens[index + 1]?.text === ";") index++;
    const end = tokens[index]?.end ?? from.end;
    const isAliased = names.some((text, position) => text === "defineModule" && names[position + 1] === "as");
    found.push({
      from: from.text.slice(1, -1),
      names: isAliased ? [] : names,
      start: first.start,
      end,
      lastToken: index,
    });
    index++;
  }
  return found;
}

/** The index of the `{` in `defineModule({`: the only one, or the one of `AppModule`. */
function findModuleObject(tokens: readonly Token[], after: number): number | undefined {
  const textAt = (index: number) => tokens[index]?.text;
  const calls = tokens
    .keys()
    .filter((index) => index > after && textAt(index) === "defineModule" && textAt(index - 1) !== ".")
    .filter((index) => textAt(index + 1) === "(" && textAt(index + 2) === "{")
    .toArray();
  const ofApp = calls.filter((index) => textAt(index - 1) === "=" && textAt(index - 2) === "AppModule");
  const [call, second] = ofApp.length === 1 ? ofApp : calls;
  return call === undefined || second !== undefined ? undefined : call + 2;
}

function editList(
  source: string,
  tokens: readonly Token[],
  partners: ReadonlyMap<number, number>,
  object: number,
  name: string,
): Edit | undefined {
  const end = partners.get(object) ?? tokens.length;
  const properties: number[] = [];
  for (let index = object + 1, expectsName = true; index < end; index = (partners.get(index) ?? index) + 1) {
    if (expectsName) properties.push(index);
    expectsName = tokens[index]?.text === ",";
  }
  const textAt = (index: number) => tokens[index]?.text ?? "";
  if (properties.some((index) => textAt(index) === "." || textAt(index) === "[")) return undefined; // spread or computed
  const present = properties.filter((index) => /^["']?imports["']?$/.test(textAt(index)));
  if (present.length > 1) return undefined;
  const [found] = present;
  if (found === undefined) return addList(source, tokens, { open: object, close: end }, properties, name);
  const close = partners.get(found + 2);
  if (textAt(found + 1) !== ":" || textAt(found + 2) !== "[" || close === undefined) return undefined;
  if (textAt(close + 1) !== "," && close + 1 !== end) return undefined; // the list is part of a longer expression
  return extendList(source, tokens, found + 2, close, name);
}

function extendList(source: string, tokens: readonly Token[], open: number, close: number, name: string): Edit {
  const start = tokens[open]?.end ?? 0;
  const end = tokens[close]?.start ?? 0;
  const last = tokens[close - 1];
  const isEmpty = close === open + 1;
  const inside = source.slice(start, end);
  const at = isEmpty ? start : (last?.end ?? start);
  const comma = isEmpty || last?.text === "," ? "" : ",";
  if (!isEmpty && inside.includes("\n")) {
    const indent = indentAt(source, tokens[open + 1]?.start ?? start);
    return { at, text: `${comma}\n${indent}${name},` };
  }
  const text = `${comma}${isEmpty ? "" : " "}${name}`;
  const lineStart = source.lastIndexOf("\n", start) + 1;
  const lineEnd = source.indexOf("\n", end) < 0 ? source.length : source.indexOf("\n", end);
  const isTooWide = lineEnd - lineStart + text.length > widestLine;
  if (!isTooWide || inside.includes("/")) return { at, text };
  const indent = indentAt(source, start);
  const items = [inside.replace(/,\s*$/, "").trim(), name].filter((item) => item !== "");
  const lines = items
    .join(", ")
    .split(/,\s*(?![^([{]*[)\]}])/)
    .map((item) => `${indent}  ${item},\n`);
  return { at: start, removeTo: end, text: `\n${lines.join("")}${indent}` };
}

/** After the name of the module where it has one, else as the first property. */
function addList(
  source: string,
  tokens: readonly Token[],
  { open, close }: { readonly open: number; readonly close: number },
  properties: readonly number[],
  name: string,
): Edit {
  const [first, second] = properties;
  const list = `imports: [${name}]`;
  if (first === undefined) return { at: tokens[open]?.end ?? 0, text: ` ${list} ` };
  const target = tokens[first]?.text === "name" && second !== undefined ? second : first;
  const start = tokens[target]?.start ?? 0;
  const isOnOwnLine = source.slice(source.lastIndexOf("\n", start) + 1, start).trim() === "";
  if (target === first && tokens[first]?.text === "name") {
    // the name stands alone: the list follows it
    const last = close - 1;
    const comma = tokens[last]?.text === "," ? "" : ",";
    const end = tokens[last]?.end ?? start;
    return { at: end, text: isOnOwnLine ? `${comma}\n${indentAt(source, start)}${list},` : `${comma} ${list}` };
  }
  return { at: start, text: isOnOwnLine ? `${list},\n${indentAt(source, start)}` : `${list}, ` };
}

function indentAt(source: string, position: number): string {
  return /[ \t]*/.exec(source.slice(source.lastIndexOf("\n", position - 1) + 1))?.[0] ?? "";
}

function apply(source: string, edits: readonly Edit[]): string {
  let text = source;
  for (const { at, removeTo = at, text: added } of edits.toSorted((a, b) => b.at - a.at)) {
    text = text.slice(0, at) + added + text.slice(removeTo);
  }
  return text;
}
