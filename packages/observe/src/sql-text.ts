import { BoundedMap } from "@tenon/core/platform";

export interface SqlSummary {
  /** The statement, with placeholders where it has literals. */
  readonly text: string;
  /** `SELECT`. */
  readonly operation: string;
  /** `SELECT posts`: names the span. */
  readonly summary: string;
}

/** Strings, dollar-quoted strings and comments: they may hold values. The last one may be cut off. */
const literals = /'(?:[^']|'')*(?:'|$)|\$(\w*)\$[\s\S]*?(?:\$\1\$|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
/** Not in a name, and not the number of a placeholder. */
const numbers = /(?<![\w$."])\d+(?:\.\d+)?\b/g;
const target =
  /\b(?:from|into|update|table)\s+(?:if\s+(?:not\s+)?exists\s+)?(?:only\s+)?("?[\w$]+"?(?:\."?[\w$]+"?)?)/i;
/** Characters that are recorded. */
const longest = 4000;

/** What may be recorded of statements. The same ones are run again and again. */
export class SqlSummaries {
  readonly #known = new BoundedMap<string, SqlSummary>(1000);

  of(sql: string): SqlSummary {
    let summary = this.#known.get(sql);
    if (summary === undefined) {
      summary = summarize(sql);
      this.#known.set(sql, summary);
    }
    return summary;
  }
}

export function summarize(sql: string): SqlSummary {
  const text = sql
    .slice(0, longest)
    .replaceAll(literals, (literal) => (/^['$]/.test(literal) ? "?" : " "))
    .replaceAll(numbers, "?")
    .trim();
  const operation = /[a-z]+/i.exec(text)?.[0].toUpperCase() ?? "SQL";
  const name = target.exec(text)?.[1]?.replaceAll('"', "");
  return { text, operation, summary: name === undefined ? operation : `${operation} ${name}` };
}
