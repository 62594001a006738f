import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { HttpError, type Problem, StartError } from "@tenon/core";
import { describeValue, refuseOption } from "@tenon/core/internal";
import type { Eta } from "eta";
import {
  describeMissingView,
  isViewName,
  TemplateError,
  type ViewEngine,
  type ViewScope,
  viewNameRule,
} from "./view-engine.ts";

const extension = ".eta";

export interface EtaOptions {
  /** Called with the names of files that are not views. */
  readonly warn?: (message: string) => void;
  /** The function whose option `views` is the folder, for messages. Defaults to "web()". */
  readonly owner?: string;
  /** Whether `<%= %>` escapes HTML; without it, the line break after a tag is kept. Defaults to true. */
  readonly escapes?: boolean;
  /** Whether `<%= %>` throws for undefined and null, such as a misspelt name. Defaults to false: it writes nothing. */
  readonly strict?: boolean;
  /** Which views may be rendered and included, by name. Defaults to all. */
  readonly includes?: (name: string) => boolean;
}

/** The views of a folder, written in Eta. */
export async function createEtaEngine(
  folder: string | URL,
  development: boolean,
  options: EtaOptions = {},
): Promise<EtaEngine> {
  const { warn, owner = "web()" } = options;
  const { Eta } = await import("eta"); // imported statically, it would slow the start of commands that import view()
  const engine = new EtaEngine(Eta, resolveFolder(folder, owner), development, options);
  const [first, ...others] = engine.unusable();
  if (first !== undefined) {
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
    warn?.(`The file ${JSON.stringify(first + extension)}${more} in ${engine.place} is not a view. ${viewNameRule}.`);
  }
  return engine;
}

/** Mails have no page. */
interface EtaScope extends Pick<ViewScope, "data">, Partial<Pick<ViewScope, "page">> {}

export class EtaEngine implements ViewEngine {
  readonly place: string;
  readonly #eta: Eta;
  readonly #includes: (name: string) => boolean;
  /** By name. Undefined in development, where files are added and removed. */
  #paths: ReadonlyMap<string, string> | undefined;

  constructor(
    EtaClass: typeof Eta,
    folder: string,
    development: boolean,
    { escapes = true, strict = false, includes = () => true }: EtaOptions,
  ) {
    this.place = folder;
    this.#includes = includes;
    this.#eta = new EtaClass({
      views: folder,
      cache: !development,
      functionHeader: "const { data, page } = it;",
      autoEscape: escapes,
      autoTrim: escapes ? [false, "nl"] : false, // the line breaks of a text are its layout
      autoFilter: true,
      filterFunction: (value) => {
        if (value !== undefined && value !== null) return String(value);
        if (strict) throw new TypeError(`a value is ${value}: the data of this view does not have it`);
        return "";
      },
      debug: true, // without it errors have no line of the view
    });
    this.#eta.resolvePath = (name, options) => this.#resolve(name, options?.filepath);
    this.#eta.RuntimeErr = (error, _text, line, file) => {
      // the error of a partial passes through every view that includes it
      if (error instanceof TemplateError || error instanceof HttpError) throw error;
      throw new TemplateError(file, line, error instanceof Error ? error.message : describeValue(error), error);
    };
    const compile = this.#eta.compile;
    this.#eta.compile = (text, options) => {
      try {
        return compile.call(this.#eta, text, options);
      } catch (error) {
        const reason = error as Error; // Eta throws nothing else
        throw toCompileError(reason, options?.filepath ?? "", () => this.#eta.compileToString(text, options));
      }
    };
    if (development) return;
    this.#paths = new Map(this.names().map((name) => [name, this.#resolve(name)]));
    this.#compileAll(this.#paths.values());
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  render(name: string, scope: EtaScope): string {
    return this.#eta.render(name, scope);
  }

  names(): string[] {
    return this.#list().filter((name) => this.has(name));
  }

  /** Files that no view name can reach. Hidden files are left out. */
  unusable(): string[] {
    return this.#list().filter((name) => !isViewName(name) && !/(?:^|\/)\./.test(name));
  }

  #list(): string[] {
    return readdirSync(this.place, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(extension))
      .map((path) => path.slice(0, -extension.length).replaceAll(sep, "/"));
  }

  /** A broken view stops the start in production. */
  #compileAll(paths: Iterable<string>): void {
    const problems: Problem[] = [];
    for (const filepath of paths) {
      try {
        this.#eta.templatesSync.define(filepath, this.#eta.compile(readFileSync(filepath, "utf8"), { filepath }));
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        problems.push({ code: "BAD_VIEW", message: `A view cannot be read: ${error.message}.` });
      }
    }
    if (problems.length > 0) throw new StartError(problems);
  }

  /** `/partials/post` is relative to the folder, `post` and `../post` to the view that includes it. */
  #resolve(name: string, from?: string): string {
    const bare = name.endsWith(extension) ? name.slice(0, -extension.length) : name;
    const base = from === undefined || bare.startsWith("/") ? "" : dirname(relative(this.place, from));
    const full = posix.join(base.replaceAll(sep, "/"), bare.replace(/^\//, ""));
    const path = this.#find(full);
    if (path === undefined) throw new Error(describeMissingView(this, full));
    return path;
  }

  #find(name: string): string | undefined {
    if (this.#paths !== undefined) return this.#paths.get(name);
    if (!isViewName(name) || !this.#includes(name)) return undefined;
    const path = realFile(join(this.place, name + extension));
    return path?.startsWith(this.place + sep) === true ? path : undefined; // a link may lead out of the folder
  }
}

function realFile(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  return realpathSync(path);
}

function resolveFolder(folder: string | URL, owner: string): string {
  const path = typeof folder === "string" ? folder : fileURLToPath(folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    refuseOption(
      `views of ${owner} is "${path}", which is not a directory. Make it, or name the folder of your views.`,
    );
  }
  return realpathSync(path);
}

/** Eta reports the line of an unclosed tag only; for other syntax errors it is found in the compiled code. */
function toCompileError(error: Error, file: string, toCode: () => string): Error {
  const unclosed = /^(.*) at line (\d+) col \d+/.exec(error.message);
  if (unclosed !== null) return new TemplateError(file, Number(unclosed[2]), unclosed[1] as string); // it has matched
  const found = findSyntaxError(toCode());
  return found === undefined ? error : new TemplateError(file, found.line, found.message);
}

/** Eta compiles a view into a `try` block, which the message of V8 would mention. */
function describe({ message }: SyntaxError): string {
  return /\bcatch\b/.test(message) ? "a { or a } has no counterpart" : message;
}

/** In the compiled code each tag is preceded by a statement with its line. */
function findSyntaxError(code: string): { readonly message: string; readonly line: number | undefined } | undefined {
  try {
    new Script(`(function (it, options) {${code}\n})`, { filename: "view" }); // compiled, never run
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const line = Number(/^view:(\d+)/.exec(error.stack ?? "")?.[1] ?? 0);
    const marks = code
      .split("\n")
      .slice(0, line)
      .join("\n")
      .matchAll(/^__eta\.line=(\d+)$/gm);
    const last = [...marks].at(-1)?.[1];
    return { message: describe(error), line: last === undefined ? undefined : Number(last) };
  }
}
