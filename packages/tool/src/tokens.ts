export interface Token {
  readonly kind: "word" | "text" | "sign" | "regex";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const space = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const word = /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*|\d[\w.]*/uy;
const quoted = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y;
const regex = /\/(?:[^\\/[\n]|\\.|\[(?:[^\\\]\n]|\\.)*\])+\/\w*/y;
/** After these an expression begins, so that a slash begins a regular expression. */
const beforeExpression = /^(?:[(,=:[!&|?{};+*%<>~^-]|return|typeof|case|in|of|=>)$/;

/** TypeScript as tokens, comments left out. Undefined when it cannot be read. */
export function tokenize(source: string): Token[] | undefined {
  const tokens: Token[] = [];
  let at = 0;
  const read = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    return pattern.test(source);
  };
  const push = (kind: Token["kind"], end: number) => {
    tokens.push({ kind, text: source.slice(at, end), start: at, end });
    at = end;
  };
  while (at < source.length) {
    const character = source.charAt(at);
    if (read(space)) at = space.lastIndex;
    else if (read(word)) push("word", word.lastIndex);
    else if (read(quoted)) push("text", quoted.lastIndex);
    else if (character === "`") {
      const end = endOfTemplate(source, at);
      if (end === undefined) return undefined;
      push("text", end);
    } else if (character === '"' || character === "'" || source.startsWith("/*", at)) return undefined;
    else if (character === "/" && mayBeginExpression(tokens.at(-1)) && read(regex)) push("regex", regex.lastIndex);
    else push("sign", at + 1);
  }
  return tokens;
}

function mayBeginExpression(before: Token | undefined): boolean {
  return before === undefined || (before.kind !== "text" && beforeExpression.test(before.text));
}

/** After the closing backtick; what stands in `${}` is read as code. */
function endOfTemplate(source: string, start: number): number | undefined {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "`") return at + 1;
    else if (source[at] === "$" && source[at + 1] === "{") {
      const end = endOfSubstitution(source, at + 2);
      if (end === undefined) return undefined;
      at = end;
    }
  }
  return undefined;
}

function endOfSubstitution(source: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < source.length; at++) {
    const character = source[at];
    if (character === "`") {
      const end = endOfTemplate(source, at);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (character === '"' || character === "'") {
      quoted.lastIndex = at;
      if (!quoted.test(source)) return undefined;
      at = quoted.lastIndex - 1;
    } else if (character === "{") depth++;
    else if (character === "}" && depth-- === 0) return at;
  }
  return undefined;
}

const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

export interface Pairs {
  /** Each opening bracket's index with that of its partner. */
  readonly partners: ReadonlyMap<number, number>;
  /** How many have none. */
  readonly unclosed: number;
}

/** Undefined when a bracket is closed that was not opened. */
export function pairUp(tokens: readonly Token[]): Pairs | undefined {
  const partners = new Map<number, number>();
  const open: number[] = [];
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== "sign") continue;
    if (text in closing) open.push(index);
    else if (Object.values(closing).includes(text)) {
      const start = open.pop();
      if (start === undefined || closing[tokens[start]?.text ?? ""] !== text) return undefined;
      partners.set(start, index);
    }
  }
  return { partners, unclosed: open.length };
}
