import { BoundedMap } from "@tenon/core/internal";

export interface SqlSummary {
  /** The statement, with placeholders where it has literals. */
  readonly text: string;
  /** `SELECT`. */
  readonly operation: string;
  /** `SELECT posts`: names the span. */
  readonly summary: string;
}

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
    // strings, dollar-quoted strings and comments: they may hold values; the last one may be cut off. A quoted name is
    // matched as well, because it may contain an apostrophe; in `E'…'` a backslash escapes one
    .replaceAll(
      /"(?:[^"]|"")*(?:"|$)|\be'(?:[^'\\]|''|\\[\s\S])*(?:'|\\?$)|'(?:[^']|'')*(?:'|$)|\$([a-z_]\w*)?\$[\s\S]*?(?:\$\1\$|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/gi,
      (found) => (found.startsWith('"') ? found : /^(?:--|\/\*)/.test(found) ? " " : "?"),
    )
    // not in a name, and not the number of a placeholder
    .replaceAll(/(?<![\w$."])\.?\d[\w.]*/g, "?")
    .trim();
  const operation = /[a-z]+/i.exec(text)?.[0].toUpperCase() ?? "SQL";
  const name = target.exec(text)?.[1]?.replaceAll('"', "");
  return { text, operation, summary: name === undefined ? operation : `${operation} ${name}` };
}
