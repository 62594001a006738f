import type { Context } from "@tenon/core";
import type { RequestRow } from "./request-row.ts";

/** The marks of a row, by which a list is filtered. */
const marks = {
  slow: ({ slow }: RequestRow) => slow > 0,
  repeated: ({ repeated }: RequestRow) => repeated > 0,
  error: ({ errors }: RequestRow) => errors > 0,
};

/** The columns by which a list is sorted, each in the order that is more often wanted. */
const orders: Readonly<Record<string, (one: RequestRow, other: RequestRow) => number>> = {
  time: () => 0, // the newest come first already
  target: (one, other) => one.target.localeCompare(other.target),
  status: (one, other) => String(other.status).localeCompare(String(one.status)),
  duration: (one, other) => other.ms - one.ms,
  sql: (one, other) => other.queries - one.queries,
};

/** What of a list of requests is shown, and in which order: the query of its page. */
export class RequestFilter {
  /** Words that all occur in the method, the target, the status or the handler. */
  readonly query: string;
  readonly mark: string;
  /** Milliseconds; 0 for all. */
  readonly least: number;
  /** Whether requests of routes of packages are shown: of the docs page, health checks, assets. */
  readonly packages: boolean;
  /** A column; after a minus the other way round. */
  readonly sort: string;
  /** For the form. */
  readonly marks: readonly string[] = Object.keys(marks);

  constructor(ctx: Context) {
    this.query = ctx.query("q").trim();
    this.mark = ctx.query("mark");
    this.least = Math.max(Number(ctx.query("least")) || 0, 0);
    this.packages = ctx.query("packages") === "1";
    this.sort = ctx.query("sort") || "time";
  }

  /** Whether more is left out than requests of packages. */
  get isActive(): boolean {
    return this.query !== "" || this.mark !== "" || this.least > 0;
  }

  /** By the name of its column: the link that sorts by it, and how it is sorted now. */
  get columns(): Readonly<Record<string, { readonly to: string; readonly sorted?: "ascending" | "descending" }>> {
    const given = {
      ...(this.query === "" ? {} : { q: this.query }),
      ...(this.mark === "" ? {} : { mark: this.mark }),
      ...(this.least === 0 ? {} : { least: String(this.least) }),
      ...(this.packages ? { packages: "1" } : {}),
    };
    return Object.fromEntries(
      Object.keys(orders).map((name) => {
        const to = `?${new URLSearchParams({ ...given, sort: this.sort === name ? `-${name}` : name })}`;
        if (this.sort.replace(/^-/, "") !== name) return [name, { to }];
        const isAscending = (name === "target") !== this.sort.startsWith("-");
        return [name, { to, sorted: isAscending ? "ascending" : "descending" }];
      }),
    );
  }

  apply(rows: readonly RequestRow[]): RequestRow[] {
    const hasMark = marks[this.mark as keyof typeof marks] ?? (() => true); // any text may be asked for
    const found = rows
      .filter((row) => (this.packages || !row.isOfPackage) && row.ms >= this.least && hasMark(row))
      .filter((row) => this.#matches(row))
      .sort(orders[this.sort.replace(/^-/, "")]);
    return this.sort.startsWith("-") ? found.reverse() : found;
  }

  #matches({ kind, method, target, status, handler }: RequestRow): boolean {
    const text = [kind, method, target, status, handler].join(" ").toLowerCase();
    return this.query
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word));
  }
}
