import { inspect } from "node:util";
import { readVariables } from "./boot/environment.ts";
import { exitOnStartError } from "./boot/exit-on-start-error.ts";
import { explainFault, toItems, toShown, type Variable } from "./config-faults.ts";
import { readFlags } from "./config-flags.ts";
import { Dto, dto, type Fields, type ObjectOf } from "./dto/dto.ts";
import type { FoundIssue } from "./dto/text.ts";
import { type Problem, StartError } from "./errors.ts";
import { isSecretName } from "./log/log-redact.ts";
import { checkNames, namesOf } from "./options.ts";

type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Lowercase<Word>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;
type KeyOf<Name> = Name extends string ? CamelCase<Name> : never;
type Simplify<T> = { [K in keyof T]: T[K] };
type IsList<T> = NonNullable<T> extends readonly unknown[] ? true : false;

type OrUndefined<T, K extends keyof T> = Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K];

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
}

export interface ConfigOptions<Config, Name extends string> {
  /** Reports what the fields cannot express. A value that is invalid is undefined here. */
  readonly check?: (config: Partial<Config>, report: (name: Name, message: string) => void) => void;
}

/** A configuration has a method of this name, for the developer tools. */
export const describeConfig: unique symbol = Symbol.for("tenon.config");

/** A variable of a configuration. A secret is redacted. */
export interface ConfigVariable {
  readonly name: string;
  readonly value: unknown;
}

/** Undefined for anything but a configuration. */
export function readConfigVariables(instance: unknown): readonly ConfigVariable[] | undefined {
  const { [describeConfig]: describe } = Object(instance) as { [describeConfig]?: () => readonly ConfigVariable[] }; // only defineConfig() sets it
  return describe?.call(instance);
}

/** Declare it in a module, or read it in an entry point. */
export interface ConfigClass<Config, Name extends string> {
  /** Throws one StartError that lists every bad value. */
  new (sources?: ConfigSources<Name>): Config;
  /** The same as `new`. */
  read<C>(this: new (sources?: ConfigSources<Name>) => C, sources?: ConfigSources<Name>): C;
  /** For entry points: prints every bad value and ends the process with code 1. */
  readOrExit<C>(this: new (sources?: ConfigSources<Name>) => C, sources?: ConfigSources<Name>): C;
}

const optionNames = namesOf<ConfigOptions<unknown, never>>({ check: true });

/** Declares the environment variables of an application: `class Config extends defineConfig({ PORT: integer() }) {}`. */
export function defineConfig<T>(
  schema: Dto<T>,
  options?: ConfigOptions<ConfigOf<T>, keyof T & string>,
): ConfigClass<ConfigOf<T>, keyof T & string>;
export function defineConfig<const F extends Fields>(
  fields: F,
  options?: ConfigOptions<ConfigOf<ObjectOf<F>>, keyof F & string>,
): ConfigClass<ConfigOf<ObjectOf<F>>, keyof F & string>;
export function defineConfig(
  given: Dto | Fields,
  options: ConfigOptions<object, string> = {},
): ConfigClass<object, string> {
  checkNames("defineConfig()", options, optionNames);
  const { fields } = given instanceof Dto ? given : dto(given);
  const variables = toVariables(fields);
  return class Config {
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

    [describeConfig](): ConfigVariable[] {
      const shown = this.toJSON();
      return variables.map(({ name, key }) => ({ name, value: shown[key] }));
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
  { flags = {}, env = readVariables(), defaults = {} }: ConfigSources,
  { check }: ConfigOptions<object, string>,
): Map<string, unknown> {
  const problems: Problem[] = [];
  const given = isList(flags) ? readFlags(flags, (message) => problems.push(toProblem(message))) : flags;
  const values = new Map<string, unknown>();
  for (const variable of variables) {
    const { name, key, field } = variable;
    const text = given[name] || env[name] || defaults[name] || undefined;
    const issues: FoundIssue[] = [];
    const input = text !== undefined && field.kind === "array" ? toItems(text) : text;
    const value = field.parseMember(input, issues, { fromText: true });
    values.set(key, value === undefined && field.kind === "array" ? [] : value);
    if (issues.length > 0) problems.push(toProblem(explainFault(variable, text, issues)));
  }
  check?.(Object.fromEntries(values), (name, message) => problems.push(toProblem(`${name} ${message}`)));
  if (problems.length > 0) throw new StartError(problems);
  return values;
}

function isList(flags: NonNullable<ConfigSources["flags"]>): flags is readonly string[] {
  return Array.isArray(flags);
}

function toProblem(message: string): Problem {
  return { code: "BAD_ENVIRONMENT", message };
}

const structured = ["object", "record", "union", "file"];

function toVariables(fields: Fields): Variable[] {
  const keys = new Map<string, string>();
  return Object.entries(fields).map(([name, field]) => {
    if (!/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(name)) {
      throw new TypeError(`"${name}" cannot name a variable: use capital letters, digits and "_", as in DATABASE_URL`);
    }
    const key = name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    const twin = keys.get(key);
    if (twin !== undefined) throw new TypeError(`"${twin}" and "${name}" would both be config.${key}`);
    keys.set(key, name);
    if (structured.includes(field.kind)) {
      throw new TypeError(`"${name}" is declared as ${field.kind}, which the text of a variable cannot hold`);
    }
    return { name, key, field };
  });
}
