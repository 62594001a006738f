/** What is known about a failure. */
export interface Clues {
  /** Names and messages of the error and its causes, one a line. */
  readonly text: string;
  /** The source around the places of the application. */
  readonly source: string;
}

interface Mistake {
  readonly of: keyof Clues;
  readonly pattern: RegExp;
  /** May use what the pattern has captured. */
  readonly cure: (match: readonly string[]) => string;
}

/** Mistakes that are easy to make and whose error does not name the cure. */
const mistakes: readonly Mistake[] = [
  {
    of: "source",
    pattern: /(?<!await\s|return\s|Promise\.all\(\[?\s*)\bctx\s*\.\s*bind\(/,
    cure: () => "ctx.bind() returns a promise: write await ctx.bind(…).",
  },
  {
    of: "text",
    pattern: /There is no view "([^"]+)"(?: in (\S+?))?\./,
    cure: ([, name = "", folder = "the folder of views"]) =>
      `Add ${name}.eta to ${folder}, or return view(name, data) with the name of another view.`,
  },
  {
    of: "text",
    pattern: /no such table: (\S+)|(?<!of )relation "([^"]+)" does not exist/,
    cure: ([, sqlite, postgres]) =>
      `The table ${sqlite ?? postgres} does not exist: create it in a migration. Migrations run at the start: list this one in dataModule({ migrations }), or add it with inject(Migrations).add([…]) in a service whose module is imported.`,
  },
  {
    of: "text",
    pattern: /no such column: (\S+)|has no column named (\S+)|column "?([\w.]+)"? (?:of relation \S+ )?does not exist/,
    cure: ([, ...names]) =>
      `The column ${names.find((name) => name !== undefined)} does not exist: add it in a new migration. A migration that has run is not run again.`,
  },
  {
    of: "text",
    pattern: /ECONNREFUSED(?: ([\w.:[\]-]+))?/,
    cure: ([, place = "that address"]) =>
      `Nothing listens at ${place}: start the database or the service, or correct its URL in the environment.`,
  },
  {
    of: "text",
    pattern: /database is locked|SQLITE_BUSY/,
    cure: () => "Another process writes to the SQLite file: stop it, or close the tool that has the file open.",
  },
  {
    of: "text",
    pattern: /\b(__dirname|__filename|require) is not defined/,
    cure: ([, name = ""]) =>
      name === "require"
        ? "This is an ES module: write import … from, or createRequire() of node:module."
        : `This is an ES module: write import.meta.${name === "__dirname" ? "dirname" : "filename"}.`,
  },
  {
    of: "text",
    pattern: /Cannot find module '[^']*?(?<!\.[cm]?[jt]s|\.json)' imported from/,
    cure: () => "Imports of own files name the file with its extension: ./posts.service.ts.",
  },
  {
    of: "text",
    pattern: /Cannot read (?:private member|properties of undefined \(reading '#)/,
    cure: () =>
      "A method was passed on without its object: declare it as a property with an arrow function, or bind it.",
  },
];

/** Cures for the mistakes that the clues show. */
export function findHints(clues: Clues): string[] {
  return mistakes.flatMap(({ of, pattern, cure }) => {
    const match = pattern.exec(clues[of]);
    return match === null ? [] : [cure(match)];
  });
}
