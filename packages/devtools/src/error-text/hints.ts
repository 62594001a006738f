/** What is known about an error. */
export interface Clues {
  /** Names and messages of the error and its causes, one a line. */
  readonly text: string;
  /** The source around the places of the application. */
  readonly source: string;
}

interface KnownProblem {
  /** Where the pattern is looked for; `both` is the text, then the source. */
  readonly of: keyof Clues | "both";
  readonly pattern: RegExp;
  /** May use what the pattern has captured. */
  readonly cure: (match: readonly string[]) => string;
}

/** What to write instead of syntax that Node would have to compile. */
const replacements: Readonly<Record<string, string>> = {
  "parameter property": "declare the field, and write readonly posts = inject(PostsService) for a dependency",
  enum: 'write a union of texts, type Color = "red" | "green", or an object with as const',
  "namespace declaration": "export what it holds from a file of its own",
};

/** Problems that are easy to cause and whose error does not name the cure. */
const knownProblems: readonly KnownProblem[] = [
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
    pattern:
      /(?:(migration "[^"]+") failed and .*?)?(?:no such table: (\S+)|(?<!of )relation "([^"]+)" does not exist)/s,
    cure: ([, migration, sqlite, postgres]) =>
      migration === undefined
        ? `The table ${sqlite ?? postgres} does not exist: create it in a migration. Migrations run at the start, or by "tenon migrate up" with migrateOnStart: false; while one is running, wait for its end. List this one in dataModule({ migrations }), or add it with inject(Migrations).add([…]) in a service whose module is imported.`
        : `The table ${sqlite ?? postgres} does not exist while ${migration} runs: create it there, or in a migration before it.`,
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
    pattern: /Cannot find module '(?:[^']*[/\\])?([^'/\\]+?)(?<!\.[cm]?[jt]s|\.json)' imported from/,
    cure: ([, name = ""]) => `An import names the file with its extension: ${name}.ts.`,
  },
  {
    of: "text",
    pattern: /Cannot find module '(?:[^']*[/\\])?([^'/\\]+)\.([cm]?)js' imported from .+\.[cm]?ts$/m,
    cure: ([, name = "", kind = ""]) =>
      `Node runs the TypeScript files themselves: if the file is ${name}.${kind}ts, write that name.`,
  },
  {
    of: "text",
    pattern: /Directory import '(?:[^']*[/\\])?([^'/\\]+)[/\\]?' is not supported/,
    cure: ([, name = ""]) => `An import names a file, not a folder: ${name}/index.ts, or the file in it that you need.`,
  },
  {
    of: "text",
    pattern: /Cannot find package '((?:src|app|@|~)(?:\/[^']*)?|[^']+\.[cm]?[jt]s)' imported from/,
    cure: () => 'The path of an own file begins with "./" or "../", from the file that imports it.',
  },
  {
    of: "text",
    pattern: /Cannot find package '((?!(?:src|app|@|~)['/])[^']+)(?<!\.[cm]?[jt]s)' imported from/,
    cure: ([, name = ""]) => `The package is not installed: check its spelling, then run npm install ${name}.`,
  },
  {
    of: "text",
    pattern: /The requested module '([^']+)' does not provide an export named '([^']+)'/,
    cure: ([, file = "", name = ""]) =>
      name === "default"
        ? `${file} has no default export: import what it exports by name, in braces.`
        : `If ${name} is a type, write import { type ${name} }; otherwise check its spelling and that ${file} exports it.`,
  },
  {
    of: "both",
    pattern: /SyntaxError: Invalid or unexpected token(?:.*\n)+?[>\s\d|]*@([A-Za-z_$][\w$]*)/,
    cure: ([, name = ""]) =>
      `Remove @${name}: Node does not run decorators. The declarations of the module, routes() and inject() replace them.`,
  },
  {
    of: "text",
    pattern: /TypeScript (.+) is not supported in strip-only mode/,
    cure: ([, syntax = ""]) =>
      `Node removes types and compiles nothing: ${replacements[syntax] ?? "write it in JavaScript, with types"}.`,
  },
  {
    of: "text",
    pattern: /Cannot access '([^']+)' before initialization/,
    cure: ([, name = ""]) =>
      `If another file defines ${name}, the two files import each other: move what both need into a third file.`,
  },
  {
    of: "text",
    pattern: /is not assignable to type 'Handler(?:<.*>)?'/,
    cure: () => "A route names its handler and does not call it: handler: this.index, not this.index().",
  },
  {
    of: "text",
    pattern: /^.*Type '\(.*\) => MiddlewareFunction' is not assignable to type 'MiddlewareLike'/,
    cure: () => "Call the function that makes the middleware: accessLog(), not accessLog.",
  },
  {
    of: "text",
    pattern: /Cannot read (?:private member|properties of undefined \(reading '#)/,
    cure: () =>
      "A method was passed on without its object: declare it as a property with an arrow function, or bind it.",
  },
];

/** Cures for the problems that the clues show. */
export function findHints(clues: Clues): string[] {
  const places = { ...clues, both: `${clues.text}\n${clues.source}` };
  return knownProblems.flatMap(({ of, pattern, cure }) => {
    const match = pattern.exec(places[of]);
    return match === null ? [] : [cure(match)];
  });
}
