import { describeValue, importEachOther, type Problem } from "../support/errors.ts";
import { GivenConfig } from "./given-config.ts";
import type { Declaration, Module } from "./module.ts";
import { isClass, isKey, isProvider, type Key, keyName, type Provider } from "./token.ts";

/** One declaration of one module: the container makes one instance of it. */
export interface Binding {
  readonly key: Key;
  readonly module: string;
  readonly construct: () => unknown;
}

export interface GraphOptions {
  readonly overrides?: readonly Provider[];
  /** Keys that every module sees without importing anything. */
  readonly builtins?: ReadonlySet<Key>;
  readonly config: GivenConfig;
  readonly problems: Problem[];
}

/** Reads what modules declare and applies the overrides. */
export class Declarations {
  readonly #problems: Problem[];
  readonly #builtins: ReadonlySet<Key>;
  readonly #config: GivenConfig;
  readonly #overrides = new Map<Key, Provider>();
  readonly #overridden = new Set<Key>();
  readonly #classes = new Map<Key, Binding>();

  constructor({ overrides = [], builtins = new Set(), config = new GivenConfig(), problems }: GraphOptions) {
    this.#problems = problems;
    this.#config = config;
    this.#builtins = builtins;
    for (const [index, override] of overrides.entries()) {
      if (isProvider(override)) this.#overrides.set(override.provide, override);
      else this.#report("BAD_OPTION", `override[${index}] is ${explain(override, "Use provide(key, factory).")}`);
    }
  }

  read(module: Module, declarations: readonly Declaration[]): Map<Key, Binding> {
    const own = new Map<Key, Binding>();
    for (const [index, declaration] of declarations.entries()) {
      const binding = this.#binding(module, declaration, index);
      if (binding === undefined) continue;
      const name = keyName(binding.key);
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
    this.#problems.push(...this.#config.findFaults());
    for (const key of this.#overrides.keys()) {
      if (this.#overridden.has(key) || this.#builtins.has(key)) continue;
      const name = keyName(key);
      const message = `The override of ${name} replaces nothing: neither module "${root.name}" nor what it imports declares it. Remove the override, or declare ${name} in one of them.`;
      this.#report("OVERRIDE_WITHOUT_TARGET", message);
    }
  }

  #binding(module: Module, declaration: Declaration, index: number): Binding | undefined {
    const place = `declarations[${index}] of module "${module.name}"`;
    if (!isClass(declaration) && !isProvider(declaration)) {
      const cure = "List a class, or provide(key, factory) for anything else.";
      this.#report("BAD_DECLARATION", `${place} is ${explain(declaration, cure)}`);
      return undefined;
    }
    const key = typeof declaration === "function" ? declaration : declaration.provide;
    if (this.#builtins.has(key)) {
      const name = keyName(key);
      const message = `${place} is ${name}, which every module has without declaring it. Remove it; in a test, override it: override: [provide(${name}, …)].`;
      this.#report("DUPLICATE_DECLARATION", message);
      return undefined;
    }
    const override = this.#overrides.get(key);
    if (override !== undefined) this.#overridden.add(key);
    const given = this.#config.factoryOf(key, key === declaration);
    const made = typeof declaration === "function" ? () => new declaration() : declaration.factory;
    return { key, module: module.name, construct: override?.factory ?? given ?? made };
  }

  #report(code: Problem["code"], message: string): void {
    this.#problems.push({ code, message });
  }
}

function explain(value: unknown, cure: string): string {
  if (value === undefined) return `undefined. ${importEachOther}`;
  if (typeof value !== "object" || value === null || !("provide" in value) || !("factory" in value)) {
    return `${describeValue(value)}. ${cure}`;
  }
  const { provide: key, factory } = value;
  if (isKey(key)) {
    return `provide(${keyName(key)}, …) with ${describeValue(factory)} where its factory belongs. Write provide(${keyName(key)}, () => …).`;
  }
  return `provide() with ${describeValue(key)} as its key, which is neither a class nor a token. ${key === undefined ? importEachOther : cure}`;
}
