import { describeValue, type Problem, StartError } from "../support/errors.ts";
import { type Binding, Declarations, type GraphOptions } from "./declarations.ts";
import { Module } from "./module.ts";
import { type Key, keyName } from "./token.ts";

export interface ModuleNode {
  readonly name: string;
  readonly imports: ReadonlySet<ModuleNode>;
  /** In the order of declaration. */
  readonly own: ReadonlyMap<Key, Binding>;
  /** What `inject()` can see from inside: own declarations and what the imports export. */
  readonly visible: ReadonlyMap<Key, Binding>;
  readonly exported: ReadonlyMap<Key, Binding>;
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
  const walk = new Walk(options);
  const node = walk.enter(root, undefined);
  walk.declarations.checkGiven(root);
  return { nodes: [...walk.nodes.values()], root: node };
}

type Imported = ReadonlyMap<Module, ModuleNode>;

class Walk {
  readonly nodes = new Map<Module, ModuleNode>();
  readonly declarations: Declarations;
  readonly #problems: Problem[];
  readonly #places = new Map<string, string>();

  constructor(options: GraphOptions) {
    this.#problems = options.problems;
    this.declarations = new Declarations(options);
  }

  /** Imports cannot form a cycle: a module exists before another one can import it. */
  enter(module: Module, importer: Module | undefined): ModuleNode {
    const known = this.nodes.get(module);
    if (known !== undefined) return known;
    if (!(module instanceof Module)) {
      const place = importer === undefined ? "createApp() takes" : `Module "${importer.name}" imports`;
      const message = `${place} ${describeValue(module)}, not a module. Use what defineModule() returned.`;
      throw new StartError([...this.#problems, { code: "BAD_MODULE", message }]);
    }
    this.#checkName(module, importer);
    if (module.unknown !== undefined) {
      this.#report("BAD_MODULE", `Module "${module.name}" has an unknown key: ${module.unknown}`);
    }
    const imported: Imported = new Map(module.imports.map((item) => [item, this.enter(item, module)]));
    const own = this.declarations.read(module);
    const node: ModuleNode = {
      name: module.name,
      imports: new Set(imported.values()),
      own,
      visible: this.#view(module, own, imported),
      exported: this.#exports(module, own, imported),
    };
    this.nodes.set(module, node);
    return node;
  }

  #checkName({ name }: Module, importer: Module | undefined): void {
    const place = importer === undefined ? "the root module" : `one imported by "${importer.name}"`;
    const other = this.#places.get(name);
    this.#places.set(name, place);
    if (other === undefined) return;
    const message = `Two modules are named "${name}": ${other} and ${place}. Give one of them another name, or define it once and import it in both places.`;
    this.#report("DUPLICATE_MODULE", message);
  }

  #view(module: Module, own: ReadonlyMap<Key, Binding>, imported: Imported): Map<Key, Binding> {
    const visible = new Map(own);
    for (const node of imported.values()) {
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

  #exports(module: Module, own: ReadonlyMap<Key, Binding>, imported: Imported): Map<Key, Binding> {
    const exported = new Map<Key, Binding>();
    for (const item of module.exports) {
      if (item instanceof Module) {
        for (const [key, binding] of imported.get(item)?.exported ?? []) exported.set(key, binding);
        if (imported.has(item)) continue;
        const message = `Module "${module.name}" exports module "${item.name}" but does not import it. Add "${item.name}" to the imports of "${module.name}".`;
        this.#report("EXPORT_NOT_DECLARED", message);
      } else {
        const binding = own.get(item);
        if (binding !== undefined) exported.set(item, binding);
        else {
          const name = keyName(item);
          const message = `Module "${module.name}" exports ${name} but does not declare it. Add ${name} to its declarations, or export the module that it comes from.`;
          this.#report("EXPORT_NOT_DECLARED", message);
        }
      }
    }
    return exported;
  }

  #report(code: Problem["code"], message: string): void {
    this.#problems.push({ code, message });
  }
}
