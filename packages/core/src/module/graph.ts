import { isClass, isKey, isProvider, type Key, keyName, type Provider } from "../di/token.ts";
import type { Problem } from "../errors.ts";
import { type Declaration, Module } from "./module.ts";

/** One declaration of one module: the container makes one instance of it. */
export interface Binding {
  readonly key: Key;
  readonly module: string;
  readonly construct: () => unknown;
}

export interface ModuleNode {
  readonly name: string;
  /** In the order of declaration. */
  readonly own: ReadonlyMap<Key, Binding>;
  /** What `inject()` can see from inside: own declarations and what the imports export. */
  readonly visible: ReadonlyMap<Key, Binding>;
  readonly exported: ReadonlyMap<Key, Binding>;
}

export interface Graph {
  /** Imported modules stand before those that import them; the root is last. */
  readonly nodes: readonly ModuleNode[];
  readonly root: ModuleNode;
}

export interface GraphOptions {
  readonly overrides?: readonly Provider[];
  /** Keys that every module sees without importing anything. */
  readonly builtins?: ReadonlySet<Key>;
  readonly problems: Problem[];
}

/** Walks the modules once and reports every problem it meets instead of stopping at the first. */
export function createGraph(root: Module, options: GraphOptions): Graph {
  const walk = new Walk(options);
  const node = walk.visit(root, []);
  walk.checkOverrides();
  return { nodes: [...walk.nodes.values()], root: node };
}

class Walk {
  readonly nodes = new Map<Module, ModuleNode>();
  readonly #problems: Problem[];
  readonly #overrides: Map<Key, Provider>;
  readonly #builtins: ReadonlySet<Key>;
  readonly #overridden = new Set<Key>();
  readonly #names = new Map<string, Module>();
  readonly #classOwners = new Map<Key, string>();

  constructor(options: GraphOptions) {
    this.#problems = options.problems;
    this.#overrides = new Map(options.overrides?.map((provider) => [provider.provide, provider]));
    this.#builtins = options.builtins ?? new Set();
  }

  visit(module: Module, path: readonly Module[]): ModuleNode {
    const known = this.nodes.get(module);
    if (known !== undefined) return known;

    const namesake = this.#names.get(module.name);
    if (namesake !== undefined) {
      this.#report(
        "DUPLICATE_MODULE",
        `Two modules are named "${module.name}". Give one of them another name: errors and route owners are told apart by it.`,
      );
    }
    this.#names.set(module.name, module);

    const imported = this.#imports(module, [...path, module]);
    const own = this.#declarations(module);
    const node: ModuleNode = {
      name: module.name,
      own,
      visible: this.#view(module, own, imported),
      exported: this.#exports(module, own, imported),
    };
    this.nodes.set(module, node);
    return node;
  }

  checkOverrides(): void {
    for (const key of this.#overrides.keys()) {
      if (this.#overridden.has(key) || this.#builtins.has(key)) continue;
      this.#report(
        "OVERRIDE_WITHOUT_TARGET",
        `override: ${keyName(key)} replaces nothing: no module declares it. Remove the override, or declare ${keyName(key)} first.`,
      );
    }
  }

  #imports(module: Module, path: readonly Module[]): Map<Module, ModuleNode> {
    const imported = new Map<Module, ModuleNode>();
    for (const [index, item] of module.imports.entries()) {
      if (!(item instanceof Module)) {
        this.#report(
          "BAD_MODULE",
          `imports[${index}] of module "${module.name}" is ${describe(item)}, not a module. ` +
            (item === undefined
              ? "Most often two files import each other: move what both need into a third module."
              : "Use what defineModule() returned."),
        );
      } else if (path.includes(item)) {
        const chain = [...path.slice(path.indexOf(item)), item].map((step) => step.name).join(" → ");
        this.#report(
          "MODULE_CYCLE",
          `Modules import each other: ${chain}. Move what they share into a module that both import.`,
        );
      } else {
        imported.set(item, this.visit(item, path));
      }
    }
    return imported;
  }

  #declarations(module: Module): Map<Key, Binding> {
    const own = new Map<Key, Binding>();
    for (const [index, declaration] of module.declarations.entries()) {
      const binding = this.#binding(module, declaration, index);
      if (binding === undefined) continue;
      const name = keyName(binding.key);
      const owner = this.#classOwners.get(declaration as Key); // a provider is never found here, it is not a key
      if (own.has(binding.key)) {
        this.#report(
          "DUPLICATE_DECLARATION",
          `${name} is declared twice in module "${module.name}". Remove one of the two.`,
        );
      } else if (owner !== undefined) {
        this.#report(
          "DUPLICATE_DECLARATION",
          `${name} is declared in module "${owner}" and in module "${module.name}", which would make two instances. ` +
            `Declare it in one, export it there, and import that module in the other.`,
        );
      } else {
        own.set(binding.key, binding);
        if (isClass(declaration)) this.#classOwners.set(declaration, module.name);
      }
    }
    return own;
  }

  #binding(module: Module, declaration: Declaration, index: number): Binding | undefined {
    const key = isProvider(declaration) ? declaration.provide : declaration;
    if (!isProvider(declaration) && !isClass(declaration)) {
      this.#report(
        "BAD_DECLARATION",
        `declarations[${index}] of module "${module.name}" is ${describe(declaration)}. ` +
          (declaration === undefined
            ? "Most often two files import each other: move what both need into a third file."
            : "List a class, or provide(key, factory) for anything else."),
      );
      return undefined;
    }
    const override = this.#overrides.get(key);
    if (override !== undefined) this.#overridden.add(key);
    const construct = override?.factory ?? (isProvider(declaration) ? declaration.factory : () => new declaration());
    return { key, module: module.name, construct };
  }

  #view(module: Module, own: ReadonlyMap<Key, Binding>, imported: ReadonlyMap<Module, ModuleNode>): Map<Key, Binding> {
    const visible = new Map(own);
    for (const node of imported.values()) {
      for (const [key, binding] of node.exported) {
        const other = visible.get(key);
        if (other !== undefined && other !== binding) {
          this.#report(
            "DUPLICATE_DECLARATION",
            `Module "${module.name}" sees two of ${keyName(key)}: one of module "${other.module}", one of module "${binding.module}". ` +
              "Stop importing or exporting one of them.",
          );
        }
        visible.set(key, binding);
      }
    }
    return visible;
  }

  #exports(
    module: Module,
    own: ReadonlyMap<Key, Binding>,
    imported: ReadonlyMap<Module, ModuleNode>,
  ): Map<Key, Binding> {
    const exported = new Map<Key, Binding>();
    for (const [index, item] of module.exports.entries()) {
      if (item instanceof Module) {
        const node = imported.get(item);
        for (const [key, binding] of node?.exported ?? []) exported.set(key, binding);
        if (node === undefined) {
          this.#report(
            "EXPORT_NOT_DECLARED",
            `Module "${module.name}" exports module "${item.name}" but does not import it. Add it to the imports of "${module.name}".`,
          );
        }
        continue;
      }
      const binding = isKey(item) ? own.get(item) : undefined;
      if (binding !== undefined) {
        exported.set(binding.key, binding);
        continue;
      }
      const name = isKey(item) ? keyName(item) : `exports[${index}], which is ${describe(item)},`;
      const source = isKey(item) ? [...imported].find(([, node]) => node.exported.has(item))?.[0] : undefined;
      this.#report(
        "EXPORT_NOT_DECLARED",
        `Module "${module.name}" exports ${name} but does not declare it. ` +
          (source === undefined
            ? `Add it to the declarations of "${module.name}", or remove the export.`
            : `It comes from module "${source.name}": export that module instead.`),
      );
    }
    return exported;
  }

  #report(code: Problem["code"], message: string): void {
    this.#problems.push({ code, message });
  }
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "function") return `the function ${value.name || "(anonymous)"}`;
  if (typeof value === "object") return `an object (${value.constructor?.name ?? "no prototype"})`;
  return `${typeof value} ${JSON.stringify(value) ?? String(value)}`;
}
