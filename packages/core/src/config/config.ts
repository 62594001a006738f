import { inspect } from "node:util";
import { type ConfigKeys, configKeys, givenValues } from "../inject/given-config.ts";
import type { OrUndefined } from "../inject/injectable.ts";
import { isSecretName } from "../log/log-redact.ts";
import { Dto, dto, type Fields, type ObjectOf } from "../schema/dto.ts";
import type { FoundIssue } from "../schema/found-issue.ts";
import { ArgumentReader } from "../support/arguments.ts";
import { type Problem, StartError } from "../support/errors.ts";
import { checkOptions } from "../support/options.ts";
import { hasEnvFile, readEnvironment, readVariables } from "./environment.ts";
import { exitOnStartError } from "./exit-on-start-error.ts";
import { explainProblem, toItems, toShown, type Variable } from "./problems.ts";

type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Lowercase<Word>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;
type KeyOf<Name> = Name extends string ? CamelCase<Name> : never;
type Simplify<T> = { [K in keyof T]: T[K] };
type IsList<T> = NonNullable<T> extends readonly unknown[] ? true : false;

/** `{ DATABASE_URL: string }` → `{ databaseUrl: string }`. A list is always there. */
export type ConfigOf<T> = Simplify<
  { readonly [K in keyof T as IsList<T[K]> extends true ? never : KeyOf<K>]: OrUndefined<T, K> } & {
    readonly [K in keyof T as IsList<T[K]> extends true ? KeyOf<K> : never]-?: Readonly<NonNullable<T[K]>>;
  }
>;

/** Text by variable. An empty text counts as not set. */
type Texts<Name extends string> = { readonly [N in Name]?: string | undefined };

export interface ConfigSources<Name extends string = string> {
  /**
   * Takes precedence over the environment: the variables that flags of the process may set (`["PORT"]` for `--port=3000`),
   * or their texts. With a list, any other argument is an error.
   */
  readonly flags?: readonly Name[] | Texts<Name>;
  /** Defaults to the environment of the process and, unless NODE_ENV is `production`, the file `.env`. */
  readonly env?: NodeJS.Dict<string>;
  /** For variables that are set nowhere else. Takes precedence over the `default=` of a field. */
  readonly defaults?: Texts<Name>;
  /** Values by property, from `config` of `createApp()`. They take precedence over flags and environment. */
  readonly [givenValues]?: Readonly<Record<string, unknown>>;
}

export interface ConfigOptions<Config, Name extends string> {
  /** Reports what the fields cannot express. A value that is invalid is undefined here. */
  readonly check?: (config: Partial<Config>, report: (name: Name, message: string) => void) => void;
}

/** Declare it in a module, or read it in an entry point. */
export interface ConfigClass<Config, Name extends string> {
  readonly [configKeys]: ConfigKeys<Config>;
  /** Throws one StartError that lists every bad value. */
  new (sources?: ConfigSources<Name>): Config;
  /** An alias of `new`. */
  read<C>(this: new (sources?: ConfigSources<Name>) => C, sources?: ConfigSources<Name>): C;
  /** For entry points: prints every bad value and ends the process with code 1. */
  readOrExit<C>(this: new (sources?: ConfigSources<Name>) => C, sources?: ConfigSources<Name>): C;
}

/** Declares the environment variables of an application: `class Config extends defineConfig({ PORT: integer() }) {}`. */
export function defineConfig<const F extends Fields>(
  variables: F | Dto<F>,
  options?: ConfigOptions<ConfigOf<ObjectOf<F>>, keyof F & string>,
): ConfigClass<ConfigOf<ObjectOf<F>>, keyof F & string>;
export function defineConfig(
  given: Dto | Fields,
  options: ConfigOptions<object, string> = {},
): ConfigClass<object, string> {
  checkOptions("defineConfig()", options, { check: true });
  const { fields } = given instanceof Dto ? given : dto(given);
  const variables = toVariables(fields);
  return class Config {
    static readonly [configKeys] = variables.map(({ key }) => key);

    constructor(sources: ConfigSources = {}) {
      for (const [key, value] of readValues(variables, sources, options)) {
        Object.defineProperty(this, key, { value, enumerable: true }); // not frozen: a subclass may add its own
      }
    }

    static read<C>(this: new (sources?: ConfigSources) => C, sources: ConfigSources = {}): C {
      return new this(sources);
    }

    static readOrExit<C>(this: new (sources?: ConfigSources) => C, sources: ConfigSources = {}): C {
      try {
        return new this(sources);
      } catch (error) {
        return exitOnStartError(error);
      }
    }

    toJSON(): Record<string, unknown> {
      const fieldsByKey = new Map(variables.map(({ key, field }) => [key, field]));
      const isHidden = (key: string) => isSecretName(key) || fieldsByKey.get(key)?.isSecret === true;
      return Object.fromEntries(Object.entries(this).map(([key, value]) => [key, toShown(value, isHidden(key))]));
    }

    [inspect.custom](_depth: number, settings: object): string {
      return `${this.constructor.name} ${inspect(this.toJSON(), settings)}`;
    }
  };
}

function readValues(
  variables: readonly Variable[],
  { flags = {}, env: ownEnv, defaults = {}, [givenValues]: own = {} }: ConfigSources,
  { check }: ConfigOptions<object, string>,
): Map<string, unknown> {
  const problems: Problem[] = [];
  const env = ownEnv ?? readVariables();
  // createApp() would report the framework's variables only after these are corrected
  if (ownEnv === undefined) readEnvironment(env, process.versions.node, problems);
  const given = isList(flags) ? readFlags(flags, (message) => problems.push(toProblem(message))) : flags;
  const values = new Map<string, unknown>();
  const cure = ownEnv === undefined ? ` Set it in ${hasEnvFile(env) ? ".env or in " : ""}the environment.` : "";
  for (const variable of variables) {
    const { name, key, field } = variable;
    const isOwn = Object.hasOwn(own, key);
    const text = isOwn ? toText(own[key]) : given[name] || env[name] || defaults[name] || undefined;
    const issues: FoundIssue[] = [];
    const input = isOwn ? own[key] : text !== undefined && field.textForm === "list" ? toItems(text) : text;
    const value = field.parseMember(input, issues, { fromText: !isOwn });
    values.set(key, value === undefined && field.textForm === "list" ? [] : value);
    if (issues.length === 0) continue;
    problems.push(toProblem(explainProblem(variable, text, issues) + (text === undefined ? cure : "")));
  }
  check?.(Object.fromEntries(values), (name, message) => problems.push(toProblem(`${name} ${message}`)));
  if (problems.length > 0) throw new StartError(problems);
  return values;
}

/** The texts of flags by variable: `--database-url=…` for DATABASE_URL. Reports every other argument. */
function readFlags(names: readonly string[], report: (message: string) => void): Record<string, string> {
  const flags = new Map(names.map((name) => [name.toLowerCase().replaceAll("_", "-"), name]));
  const known = [...flags.keys()].map((flag) => `--${flag}`).join(", ");
  const texts: Record<string, string> = {};
  const reader = new ArgumentReader(process.argv.slice(2));
  for (const argument of reader) {
    const name = argument.kind === "flag" ? flags.get(argument.name) : undefined;
    if (argument.kind !== "flag" || name === undefined) {
      report(`${argument.typed} is not a flag of this application. It has ${known}.`);
      continue;
    }
    const text = argument.value ?? reader.takeValue();
    if (text) texts[name] = text;
    else report(`${argument.typed} needs a value.`);
  }
  return texts;
}

/** A given value as the text of its variable, for messages. */
function toText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}

function isList(flags: NonNullable<ConfigSources["flags"]>): flags is readonly string[] {
  return Array.isArray(flags);
}

function toProblem(message: string): Problem {
  return { code: "BAD_ENVIRONMENT", message };
}

function toVariables(fields: Fields): Variable[] {
  return Object.entries(fields).map(([name, field]) => {
    if (!/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(name)) {
      throw new TypeError(`"${name}" cannot name a variable: use capital letters, digits and "_", as in DATABASE_URL`);
    }
    const key = name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    if (field.textForm === "none") {
      throw new TypeError(`"${name}" is declared as ${field.kind}, which the text of a variable cannot hold`);
    }
    return { name, key, field };
  });
}
