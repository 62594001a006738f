import { describeValue, type Problem } from "../support/errors.ts";
import { explainUnknownNames } from "../support/options.ts";
import type { Key } from "./token.ts";

/** The constructor of a config class takes values by property under this name. */
export const givenValues: unique symbol = Symbol("given values");
/** A config class has the names of its properties under this name. */
export const configKeys: unique symbol = Symbol.for("tenon.config-keys");
declare const values: unique symbol;

/** The properties of a configuration. */
export interface ConfigKeys<Config> extends ReadonlyArray<string> {
  /** Never present at run time: it carries Config for inference. */
  readonly [values]?: Config;
}

interface DeclaredConfig {
  new (sources: { readonly [givenValues]?: object; readonly env?: NodeJS.Dict<string> }): unknown;
  readonly [configKeys]: readonly string[];
}

/** `config` of `createApp()`: an instance of a config class, or values for the config classes of an application. */
export class GivenConfig {
  readonly #given: object;
  readonly #isInstance: boolean;
  readonly #known = new Set<string>();
  #isUsed = false;

  constructor(given: object = {}) {
    this.#given = given;
    this.#isInstance = isConfigClass(given.constructor);
  }

  /** How a declared key is made, where `config` decides it. A value is for every class that has a variable of its name. */
  factoryOf(key: Key, isClass: boolean): (() => unknown) | undefined {
    if (this.#isInstance) {
      if (this.#given.constructor !== key) return undefined;
      this.#isUsed = true;
      return () => this.#given;
    }
    if (!isClass || !isConfigClass(key)) return undefined;
    for (const name of key[configKeys]) this.#known.add(name);
    return () => new key({ [givenValues]: this.#given });
  }

  /** What no declared class takes. Call it when all declarations are read. */
  findProblems(): Problem[] {
    if (this.#isInstance) {
      if (this.#isUsed) return [];
      return [toProblem(`is ${describeValue(this.#given)}, whose class no module declares. Declare it in one.`)];
    }
    const unknown = explainUnknownNames(this.#given, [...this.#known]);
    if (unknown === undefined) return [];
    return [
      this.#known.size === 0
        ? toProblem("has values, and no module declares a class made with defineConfig().")
        : toProblem(`has no option ${unknown}`),
    ];
  }
}

function isConfigClass(key: unknown): key is DeclaredConfig {
  return typeof key === "function" && configKeys in key;
}

function toProblem(problem: string): Problem {
  return { code: "BAD_OPTION", message: `config of createApp() ${problem}` };
}
