import { describeChain, describeValue, importEachOther, type Problem, StartError } from "../support/errors.ts";
import { type Binding, Declarations, type GraphOptions } from "./declarations.ts";
import { Module } from "./module.ts";
import { isKey, type Key, keyName } from "./token.ts";

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

/** A class or token of a module, as messages name it. */
export function labelOf(name: string, node: ModuleNode): string {
  return `${name} (module "${node.name}")`;
}

export interface Graph {
  /** Imported modules come before those that import them; the root is last. */
  readonly nodes: readonly ModuleNode[];
  readonly root: ModuleNode;
}

/** Walks the modules once and reports every problem it meets instead of stopping at the first. */
export function createGraph(root: Module, options: GraphOptions): Graph {
  if (!(root instanceof Module)) {
    const cure = root === undefined ? importEachOther : "Pass what defineModule() returned.";
    const message = `createApp() was given ${describeValue(root)}, not a module. ${cure}`;
    throw new StartError([...options.problems, { code: "BAD_MODULE", message }]);
  }
  const walk = new Walk(options);
  const node = walk.run(root);
  walk.declarations.checkGiven(root);
  return { nodes: [...walk.nodes.values()], root: node };
}

type Imported = ReadonlyMap<Module, ModuleNode | undefined>;

/** A module whose imports are being followed. */
interface Visit {
  readonly module: Module;
  readonly imports: Module["imports"];
  /** How many of the imports have been read. */
  read: number;
  /** Those in a cycle as undefined. */
  readonly imported: Map<Module, ModuleNode | undefined>;
  /** Whether an import could not be followed. */
  failed: boolean;
}

class Walk {
  readonly nodes = new Map<Module, ModuleNode>();
  readonly declarations: Declarations;
  readonly #problems: Problem[];
  readonly #places = new Map<string, string>();

  constructor(options: GraphOptions) {
    this.#problems = options.problems;
    this.declarations = new Declarations(options);
  }

  /** Depth first, without recursion: thousands of modules that import each other in a row would exhaust the stack. */
  run(root: Module): ModuleNode {
    const path = [this.#enter(root, undefined)];
    for (;;) {
      const visit = path.at(-1) as Visit; // the root is left last, and then the walk ends
      const next = this.#followImports(visit, path);
      if (next !== undefined) {
        path.push(this.#enter(next, visit.module));
        continue;
      }
      const node = this.#leave(visit);
      path.pop();
      if (path.length === 0) return node;
    }
  }

  #enter(module: Module, importer: Module | undefined): Visit {
    this.#checkName(module, importer);
    if (module.unknown !== undefined) {
      this.#report("BAD_MODULE", `Module "${module.name}" has an unknown key: ${module.unknown}`);
    }
    return { module, imports: this.#list(module, "imports"), read: 0, imported: new Map(), failed: false };
  }

  #leave({ module, imported, failed }: Visit): ModuleNode {
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
    if (other === undefined) {
      this.#places.set(module.name, place);
      return;
    }
    const message = `Two modules are named "${module.name}": ${other} and ${place}. Give one of them another name, or define it once and import it in both places.`;
    this.#report("DUPLICATE_MODULE", message);
  }

  /** Reads the imports up to one that has to be entered first, and returns it. */
  #followImports(visit: Visit, path: readonly Visit[]): Module | undefined {
    const { module, imports, imported } = visit;
    for (; visit.read < imports.length; visit.read++) {
      const item: unknown = imports[visit.read];
      if (!(item instanceof Module)) {
        visit.failed = true;
        const cure = item === undefined ? importEachOther : "Use what defineModule() returned.";
        const place = `imports[${visit.read}] of module "${module.name}"`;
        this.#report("BAD_MODULE", `${place} is ${describeValue(item)}, not a module. ${cure}`);
        continue;
      }
      const node = this.nodes.get(item);
      const start = node === undefined ? path.findIndex((step) => step.module === item) : -1;
      if (node === undefined && start < 0) return item;
      imported.set(item, node);
      if (node !== undefined) continue;
      visit.failed = true;
      const chain = [...path.slice(start).map((step) => step.module.name), item.name];
      const message = `Modules import each other: ${describeChain(chain)}. Move what they share into a module that both import.`;
      this.#report("MODULE_CYCLE", message);
    }
    return undefined;
  }

  #view(module: Module, own: ReadonlyMap<Key, Binding>, imported: readonly ModuleNode[]): Map<Key, Binding> {
    const visible = new Map(own);
    for (const node of imported) {
      for (const [key, binding] of node.exported) {
        const other = visible.get(key);
        if (other !== undefined && other !== binding) {
          const message = `Module "${module.name}" sees two of ${keyName(key)}: one of module "${other.module}", one of module "${binding.module}". Stop importing or exporting one of them.`;
          this.#report("DUPLICATE_DECLARATION", message);
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
    for (const [index, item] of exports.entries()) {
      if (item instanceof Module) {
        for (const [key, binding] of imported.get(item)?.exported ?? []) exported.set(key, binding);
        if (imported.has(item)) continue;
        const message = `Module "${module.name}" exports module "${item.name}" but does not import it. Add "${item.name}" to the imports of "${module.name}".`;
        this.#report("EXPORT_NOT_DECLARED", message);
      } else if (!isKey(item)) {
        const cure = item === undefined ? importEachOther : "List a class or a token that it declares, or a module.";
        this.#report("BAD_MODULE", `exports[${index}] of module "${module.name}" is ${describeValue(item)}. ${cure}`);
      } else {
        const binding = own.get(item);
        if (binding === undefined) this.#reportExport(module, item, imported);
        else exported.set(item, binding);
      }
    }
    return exported;
  }

  #reportExport(module: Module, key: Key, imported: Imported): void {
    const name = keyName(key);
    const source = imported.values().find((node) => node?.exported.has(key));
    const cure =
      source === undefined
        ? `Add ${name} to the declarations of "${module.name}", or remove the export.`
        : `It comes from module "${source.name}": export that module instead.`;
    this.#report("EXPORT_NOT_DECLARED", `Module "${module.name}" exports ${name} but does not declare it. ${cure}`);
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
