import type { Problem } from "../support/errors.ts";
import type { GivenConfig } from "./given-config.ts";
import type { Declaration, Module } from "./module.ts";
import { type Key, keyName, type Provider } from "./token.ts";

/** One declaration of one module: the container makes one instance of it. */
export interface Binding {
  readonly key: Key;
  readonly name: string;
  readonly module: string;
  readonly construct: () => unknown;
}

export interface GraphOptions {
  readonly overrides: readonly Provider[];
  /** What every module sees without importing anything. */
  readonly builtins: ReadonlyMap<Key, unknown>;
  readonly config: GivenConfig;
  readonly problems: Problem[];
}

/** Reads what modules declare and applies the overrides. */
export class Declarations {
  readonly #problems: Problem[];
  readonly #builtins: GraphOptions["builtins"];
  readonly #config: GivenConfig;
  readonly #overrides: ReadonlyMap<Key, Provider>;
  readonly #overridden = new Set<Key>();
  readonly #classes = new Map<Key, Binding>();

  constructor({ overrides, builtins, config, problems }: GraphOptions) {
    this.#problems = problems;
    this.#config = config;
    this.#builtins = builtins;
    this.#overrides = new Map(overrides.map((override) => [override.provide, override]));
  }

  read(module: Module): Map<Key, Binding> {
    const own = new Map<Key, Binding>();
    for (const declaration of module.declarations) {
      const binding = this.#binding(module, declaration);
      if (binding === undefined) continue;
      const { name } = binding;
      const type = typeof declaration === "function" ? declaration : undefined;
      const elsewhere = type === undefined ? undefined : this.#classes.get(type);
      if (own.has(binding.key)) {
        const message = `${name} is declared twice in module "${module.name}". Remove one of the two.`;
        this.#report("DUPLICATE_DECLARATION", message);
      } else if (elsewhere !== undefined) {
        own.set(binding.key, elsewhere); // visible here too, so that its users are not reported as well
        const message = `${name} is declared in module "${elsewhere.module}" and in module "${module.name}", which would make two instances. Declare it in one, export it there, and import that module in the other.`;
        this.#report("DUPLICATE_DECLARATION", message);
      } else {
        own.set(binding.key, binding);
        if (type !== undefined) this.#classes.set(type, binding);
      }
    }
    return own;
  }

  /** Reports what is given for an application and used by no declaration of it. */
  checkGiven(root: Module): void {
    this.#problems.push(...this.#config.findProblems());
    for (const key of this.#overrides.keys()) {
      if (this.#overridden.has(key) || this.#builtins.has(key)) continue;
      const name = keyName(key);
      const message = `The override of ${name} replaces nothing: neither module "${root.name}" nor what it imports declares it. Remove the override, or declare ${name} in one of them.`;
      this.#report("OVERRIDE_WITHOUT_TARGET", message);
    }
  }

  #binding(module: Module, declaration: Declaration): Binding | undefined {
    const key = typeof declaration === "function" ? declaration : declaration.provide;
    const name = keyName(key);
    if (this.#builtins.has(key)) {
      const message = `Module "${module.name}" declares ${name}, which every module has without declaring it. Remove it; in a test, override it: override: [provide(${name}, …)].`;
      this.#report("DUPLICATE_DECLARATION", message);
      return undefined;
    }
    const override = this.#overrides.get(key);
    if (override !== undefined) this.#overridden.add(key);
    const given = this.#config.factoryOf(key, key === declaration);
    const made = typeof declaration === "function" ? () => new declaration() : declaration.factory;
    return { key, name, module: module.name, construct: override?.factory ?? given ?? made };
  }

  #report(code: Problem["code"], message: string): void {
    this.#problems.push({ code, message });
  }
}
