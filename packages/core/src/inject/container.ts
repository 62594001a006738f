import { describeChain, type Problem, quoteError, StartError } from "../support/errors.ts";
import type { Binding } from "./declarations.ts";
import { UnusableDependency, unusable, withInjector } from "./inject.ts";
import { type Graph, labelOf, type ModuleNode } from "./module-graph.ts";
import { type Class, isClass, type Key, keyName } from "./token.ts";

/** Something that every module sees, made for one user: the log is named after it. */
export type Builtin = (user: string) => unknown;

export interface Constructed {
  readonly instance: unknown;
  readonly name: string;
  readonly node: ModuleNode;
}

/** One `inject()` that found something. */
export interface Injection {
  readonly user: string;
  readonly module: string;
  /** The name of what it found. */
  readonly name: string;
  /** The module that declares the key; undefined for a builtin. */
  readonly from: string | undefined;
}

/** The instance that is being constructed. */
interface Frame {
  readonly binding: Binding;
  readonly label: string;
}

/** Makes one instance per declaration. Problems are collected, so that one start shows all of them. */
export class Container {
  readonly #graph: Graph;
  readonly #builtins: ReadonlyMap<Key, Builtin>;
  readonly #problems: Problem[];
  readonly #onInject: ((injection: Injection) => void) | undefined;
  readonly #homes = new Map<Binding, ModuleNode>();
  readonly #instances = new Map<Binding, unknown>();
  readonly #undeclared = new Map<ModuleNode, Map<Class, unknown>>();
  readonly #stack: Frame[] = [];
  /** In the order of completion, which is the order of dependency. */
  readonly constructed: Constructed[] = [];

  constructor(
    graph: Graph,
    builtins: ReadonlyMap<Key, Builtin>,
    problems: Problem[],
    onInject?: (injection: Injection) => void,
  ) {
    this.#graph = graph;
    this.#builtins = builtins;
    this.#problems = problems;
    this.#onInject = onInject;
    for (const node of graph.nodes) {
      for (const binding of node.own.values()) {
        if (!this.#homes.has(binding)) this.#homes.set(binding, node);
      }
    }
  }

  constructAll(): void {
    for (const binding of this.#homes.keys()) this.#instance(binding);
  }

  /** Whether `inject(key)` works inside `node`. */
  sees(node: ModuleNode, key: Key): boolean {
    return this.#builtins.has(key) || node.visible.has(key);
  }

  /** The result of `inject(key)` in `user`, inside `node`. Reports a problem and returns `unusable` when it is not visible. */
  resolve(node: ModuleNode, key: Key, user: string): unknown {
    const builtin = this.#builtins.get(key);
    const binding = node.visible.get(key);
    if (builtin !== undefined || binding !== undefined) {
      this.#onInject?.({ user, module: node.name, name: keyName(key), from: binding?.module });
    }
    if (builtin !== undefined) return builtin(user);
    if (binding === undefined) {
      this.#report("UNKNOWN_DEPENDENCY", this.#explainUnknown(node, key, user));
      return unusable;
    }
    const start = this.#stack.findIndex((frame) => frame.binding === binding);
    if (start < 0) return this.#instance(binding);
    this.#report("DEPENDENCY_CYCLE", explainCycle(this.#stack.slice(start).map(({ label }) => label)));
    return unusable;
  }

  /** The declared instance of a class, or one made for this module when no module declares it; `unusable` after a problem. */
  obtain(node: ModuleNode, type: Class, user: string): unknown {
    const declared = this.sees(node, type) || this.#graph.nodes.some((other) => other.own.has(type));
    return declared ? this.resolve(node, type, user) : this.#makeUndeclared(node, type);
  }

  /** The result of `work`, which may call `inject()` as `user` of a module; undefined after a problem. */
  run<T>(node: ModuleNode, user: string, work: () => T): T | undefined {
    try {
      return withInjector({ resolve: (key) => this.resolve(node, key, user) }, work);
    } catch (error) {
      this.#reportError(user, error);
      return undefined;
    }
  }

  #makeUndeclared(node: ModuleNode, type: Class): unknown {
    const made = this.#undeclared.get(node) ?? new Map<Class, unknown>();
    this.#undeclared.set(node, made);
    if (made.has(type)) return made.get(type);
    const before = this.#problems.length;
    const instance = this.#construct(
      { key: type, name: keyName(type), module: node.name, construct: () => new type() },
      node,
    );
    // not kept after a problem: a route added later with the same class must fail again
    if (this.#problems.length === before) made.set(type, instance);
    return instance;
  }

  #instance(binding: Binding): unknown {
    if (!this.#instances.has(binding)) {
      const home = this.#homes.get(binding) as ModuleNode; // what a module sees is some module's own
      this.#instances.set(binding, this.#construct(binding, home));
    }
    return this.#instances.get(binding);
  }

  #construct(binding: Binding, node: ModuleNode): unknown {
    const { name } = binding;
    const label = labelOf(name, node);
    this.#stack.push({ binding, label });
    try {
      const instance = withInjector({ resolve: (key) => this.resolve(node, key, name) }, binding.construct);
      if (instance === unusable) return unusable; // a factory that returns what it injects
      this.constructed.push({ instance, name, node });
      return instance;
    } catch (error) {
      this.#reportError(label, error);
    } finally {
      this.#stack.pop();
    }
    return unusable;
  }

  #reportError(label: string, cause: unknown): void {
    if (cause instanceof UnusableDependency) return;
    if (cause instanceof StartError) {
      this.#problems.push(...cause.problems); // those of a factory that checks its options are complete as they are
      return;
    }
    const chain = this.#stack.map(({ binding }) => binding.name);
    const needed = chain.length > 1 ? ` (${describeChain(chain)})` : "";
    const message = `${label} could not be constructed${needed}: ${quoteError(cause)}`;
    this.#problems.push({ code: "CONSTRUCTION_FAILED", message, cause });
  }

  /** Why `inject(key)` finds nothing: which class needs it, which module has it, and what to write where. */
  #explainUnknown(node: ModuleNode, key: Key, user: string): string {
    const asker = labelOf(user, node);
    const name = keyName(key);
    const chain = this.#stack.map(({ binding }) => binding.name);
    const way = describeChain([...(chain.length === 0 ? [user] : chain), name]);
    const owners = this.#graph.nodes.filter((other) => other.own.has(key));
    const importer = owners.find((other) => reaches(other, node));
    if (importer !== undefined) {
      return `${asker} needs ${name}, which module "${importer.name}" declares (${way}). "${importer.name}" imports "${node.name}" and cannot be imported there: move ${name} into a module that both import.`;
    }
    const [owner] = owners.toSorted((one, other) => Number(other.exported.has(key)) - Number(one.exported.has(key)));
    if (owner === undefined) {
      return `${asker} needs ${name}, which no module declares (${way}). Add ${isClass(key) ? name : `provide(${name}, …)`} to the declarations of "${node.name}", or import the module that exports it.`;
    }
    const steps = [
      ...(owner.exported.has(key) ? [] : [`${name} to the exports of "${owner.name}"`]),
      ...(node.imports.has(owner) ? [] : [`"${owner.name}" to the imports of "${node.name}"`]),
    ];
    return `${asker} needs ${name}, which module "${owner.name}" declares (${way}). Add ${steps.join(" and ")}.`;
  }

  #report(code: Problem["code"], message: string): void {
    this.#problems.push({ code, message });
  }
}

/** Whether a module imports another one, directly or through others: the other cannot import it then. */
function reaches(from: ModuleNode, to: ModuleNode): boolean {
  const reached = new Set(from.imports); // grows while it is read
  for (const node of reached) for (const next of node.imports) reached.add(next);
  return reached.has(to);
}

function explainCycle(labels: readonly string[]): string {
  const [first] = labels;
  if (labels.length === 1) return `${first} injects itself. Use this in its place.`;
  return `Dependencies form a cycle: ${describeChain([...labels, first as string])}. Move what they share into a service that both inject.`;
}
