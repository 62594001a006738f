import { isKey, type Key, keyName, type Provider } from "../di/token.ts";
import { describeValue, importEachOther, type Problem, StartError } from "../errors.ts";
import { Declarations } from "./declarations.ts";
import { Module } from "./module.ts";

/** One declaration of one module: the container makes one instance of it. */
export interface Binding {
  readonly key: Key;
  readonly module: string;
  readonly construct: () => unknown;
}

export interface ModuleNode {
  readonly name: string;
  readonly imports: ReadonlySet<ModuleNode>;
  /** In the order of declaration. */
  readonly own: ReadonlyMap<Key, Binding>;
  /** What `inject()` can see from inside: own declarations and what the imports export. */
  readonly visible: ReadonlyMap<Key, Binding>;
  readonly exported: ReadonlyMap<Key, Binding>;
  /** An import could not be followed, here or in a module that it re-exports: something may be missing in `visible`. */
  readonly incomplete: boolean;
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
  if (!(root instanceof Module)) {
    const cure = root === undefined ? importEachOther : "Pass what defineModule() returned.";
    const message = `createApp() was given ${describeValue(root)}, not a module. ${cure}`;
    throw new StartError([...options.problems, { code: "BAD_MODULE", message }]);
  }
  const walk = new Walk(options);
  const node = walk.visit(root, []);
  walk.declarations.checkOverrides(root);
  return { nodes: [...walk.nodes.values()], root: node };
}

type Imported = ReadonlyMap<Module, ModuleNode | undefined>;

class Walk {
  readonly nodes = new Map<Module, ModuleNode>();
  readonly declarations: Declarations;
  readonly #problems: Problem[];
  readonly #places = new Map<string, string>();

  constructor(options: GraphOptions) {
    this.#problems = options.problems;
    this.declarations = new Declarations(options);
  }

  visit(module: Module, path: readonly Module[]): ModuleNode {
    const known = this.nodes.get(module);
    if (known !== undefined) return known;
    this.#checkName(module, path.at(-1));
    if (module.unknown !== undefined) {
      this.#report("BAD_MODULE", `Module "${module.name}" has an unknown key: ${module.unknown}`);
    }

    const [imported, failed] = this.#imports(module, [...path, module]);
    const own = this.declarations.read(module, this.#list(module, "declarations"));
    const exports = this.#list(module, "exports");
    const reached = [...imported.values()].filter((node) => node !== undefined);
    const node: ModuleNode = {
      name: module.name,
      imports: new Set(reached),
      own,
      visible: this.#view(module, own, reached),
      exported: this.#exports(module, exports, own, imported),
      incomplete: failed || exports.some((item) => item instanceof Module && imported.get(item)?.incomplete === true),
    };
    this.nodes.set(module, node);
    return node;
  }

  #checkName(module: Module, importer: Module | undefined): void {
    const place = importer === undefined ? "the root module" : `one imported by "${importer.name}"`;
    if (typeof module.name !== "string" || module.name.trim() === "") {
      this.#report("BAD_MODULE", `A module has no name: ${place}. Write defineModule({ name: "posts", … }).`);
      return;
    }
    const other = this.#places.get(module.name);
    if (other === undefined) this.#places.set(module.name, place);
    else {
      this.#report(
        "DUPLICATE_MODULE",
        `Two modules are named "${module.name}": ${other} and ${place}. Give one of them another name, or define it once and import it in both places.`,
      );
    }
  }

  /** The modules that could be followed, those in a cycle as undefined, and whether any failed. */
  #imports(module: Module, path: readonly Module[]): [Imported, boolean] {
    const imported = new Map<Module, ModuleNode | undefined>();
    let failed = false;
    let index = -1;
    for (const item of this.#list(module, "imports")) {
      index++;
      if (!(item instanceof Module)) {
        failed = true;
        this.#report(
          "BAD_MODULE",
          `imports[${index}] of module "${module.name}" is ${describeValue(item)}, not a module. ` +
            (item === undefined ? importEachOther : "Use what defineModule() returned."),
        );
      } else if (path.includes(item)) {
        failed = true;
        imported.set(item, undefined);
        const chain = [...path.slice(path.indexOf(item)), item].map((step) => step.name).join(" → ");
        this.#report(
          "MODULE_CYCLE",
          `Modules import each other: ${chain}. Move what they share into a module that both import.`,
        );
      } else {
        imported.set(item, this.visit(item, path));
      }
    }
    return [imported, failed];
  }

  #view(module: Module, own: ReadonlyMap<Key, Binding>, imported: readonly ModuleNode[]): Map<Key, Binding> {
    const visible = new Map(own);
    for (const node of imported) {
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
    exports: Module["exports"],
    own: ReadonlyMap<Key, Binding>,
    imported: Imported,
  ): Map<Key, Binding> {
    const exported = new Map<Key, Binding>();
    let index = -1;
    for (const item of exports) {
      index++;
      if (item instanceof Module) {
        for (const [key, binding] of imported.get(item)?.exported ?? []) exported.set(key, binding);
        if (imported.has(item)) continue;
        this.#report(
          "EXPORT_NOT_DECLARED",
          `Module "${module.name}" exports module "${item.name}" but does not import it. Add "${item.name}" to the imports of "${module.name}".`,
        );
      } else if (!isKey(item)) {
        this.#report(
          "BAD_MODULE",
          `exports[${index}] of module "${module.name}" is ${describeValue(item)}. ` +
            (item === undefined ? importEachOther : "List a class or a token that it declares, or a module."),
        );
      } else {
        const binding = own.get(item);
        if (binding === undefined) this.#reportExport(module, item, imported);
        else exported.set(item, binding);
      }
    }
    return exported;
  }

  #reportExport(module: Module, key: Key, imported: Imported): void {
    const source = imported.values().find((node) => node?.exported.has(key));
    this.#report(
      "EXPORT_NOT_DECLARED",
      `Module "${module.name}" exports ${keyName(key)} but does not declare it. ` +
        (source === undefined
          ? `Add ${keyName(key)} to the declarations of "${module.name}", or remove the export.`
          : `It comes from module "${source.name}": export that module instead.`),
    );
  }

  #list<K extends "imports" | "declarations" | "exports">(module: Module, name: K): Module[K] | [] {
    const list: unknown = module[name];
    if (Array.isArray(list)) return module[name];
    this.#report("BAD_MODULE", `${name} of module "${module.name}" is ${describeValue(list)}. Write a list: [ … ].`);
    return [];
  }

  #report(code: Problem["code"], message: string): void {
    this.#problems.push({ code, message });
  }
}
