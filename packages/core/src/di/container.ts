import { type Problem, StartError } from "../errors.ts";
import type { Binding, Graph, ModuleNode } from "../module/graph.ts";
import { type Injector, withInjector } from "./inject.ts";
import { type Class, isKey, type Key, keyName } from "./token.ts";

/** Something every module sees, made for the one who asks: the log is named after its user. */
export type Builtin = (user: string) => unknown;

export interface Constructed {
  readonly instance: unknown;
  readonly name: string;
  readonly node: ModuleNode;
}

interface Frame {
  readonly binding: Binding;
  readonly label: string;
}

/** Makes one instance per declaration. Problems are collected, so that one start shows all of them. */
export class Container {
  readonly #graph: Graph;
  readonly #builtins: ReadonlyMap<Key, Builtin>;
  readonly #problems: Problem[];
  readonly #homes = new Map<Binding, ModuleNode>();
  readonly #instances = new Map<Binding, unknown>();
  readonly #undeclared = new Map<ModuleNode, Map<Class, unknown>>();
  readonly #stack: Frame[] = [];
  /** In the order of completion, which is the order of dependency. */
  readonly constructed: Constructed[] = [];

  constructor(graph: Graph, builtins: ReadonlyMap<Key, Builtin>, problems: Problem[]) {
    this.#graph = graph;
    this.#builtins = builtins;
    this.#problems = problems;
    for (const node of graph.nodes) {
      for (const binding of node.own.values()) this.#homes.set(binding, node);
    }
  }

  constructAll(): void {
    for (const binding of this.#homes.keys()) this.#instance(binding);
  }

  /** What `inject(key)` would give inside `node`; undefined when it is not visible there. */
  find(node: ModuleNode, key: Key): unknown {
    const builtin = this.#builtins.get(key);
    if (builtin !== undefined) return builtin(node.name);
    const binding = node.visible.get(key);
    return binding === undefined ? undefined : this.#instance(binding);
  }

  /** The declared instance of a class, or one made for this module when no module declares it; undefined after a problem. */
  obtain<T>(node: ModuleNode, type: Class<T>, user: string): T | undefined {
    const instance = this.#obtain(node, type, user);
    return instance === unusable ? undefined : (instance as T); // made by that very class
  }

  #obtain(node: ModuleNode, type: Class, user: string): unknown {
    if (node.visible.has(type) || this.#declaringNode(type) !== undefined) {
      return this.#injectorFor(node, user).resolve(type);
    }
    const made = this.#undeclared.get(node) ?? new Map<Class, unknown>();
    this.#undeclared.set(node, made);
    if (!made.has(type)) {
      made.set(type, this.#construct({ key: type, module: node.name, construct: () => new type() }, node));
    }
    return made.get(type);
  }

  #instance(binding: Binding): unknown {
    if (!this.#instances.has(binding)) {
      this.#instances.set(binding, this.#construct(binding, this.#homes.get(binding) ?? this.#graph.root));
    }
    return this.#instances.get(binding);
  }

  #construct(binding: Binding, node: ModuleNode): unknown {
    const name = keyName(binding.key);
    const label = `${name} (module "${node.name}")`;
    this.#stack.push({ binding, label });
    try {
      const instance = withInjector(this.#injectorFor(node, name), binding.construct);
      if (instance instanceof Promise) {
        instance.catch(() => {}); // without it a rejecting factory would end the process before the problem is told
        this.#report(
          "BAD_DECLARATION",
          `The factory of ${label} returned a promise. Factories are synchronous: return the object and connect in its onStart().`,
        );
        return unusable;
      }
      this.constructed.push({ instance, name, node });
      return instance;
    } catch (error) {
      if (error instanceof UnusableDependency) return unusable; // its own problem is already reported
      if (error instanceof StartError) this.#problems.push(...error.problems);
      else {
        this.#problems.push({
          code: "CONSTRUCTION_FAILED",
          message: `${label} could not be constructed: ${error instanceof Error ? error.message : String(error)}`,
          cause: error,
        });
      }
      return unusable;
    } finally {
      this.#stack.pop();
    }
  }

  #injectorFor(node: ModuleNode, user: string): Injector {
    return {
      resolve: (key) => {
        const builtin = this.#builtins.get(key);
        if (builtin !== undefined) return builtin(user);
        const binding = node.visible.get(key);
        if (binding === undefined) {
          this.#report("UNKNOWN_DEPENDENCY", this.#explainUnknown(node, user, key));
          return unusable;
        }
        const start = this.#stack.findIndex((frame) => frame.binding === binding);
        if (start >= 0) {
          const chain = [...this.#stack.slice(start), this.#stack[start]].map((frame) => frame?.label);
          this.#report(
            "DEPENDENCY_CYCLE",
            `Dependencies form a cycle: ${chain.join(" → ")}. Move what they share into a service that both inject.`,
          );
          return unusable;
        }
        return this.#instance(binding);
      },
    };
  }

  #explainUnknown(node: ModuleNode, user: string, key: unknown): string {
    const asker = `${user} (module "${node.name}")`;
    if (!isKey(key)) {
      return `${asker} calls inject(${String(key)}), which is neither a class nor a token. Most often two files import each other: move what both need into a third file.`;
    }
    const name = keyName(key);
    const chain = [...this.#stack.map((frame) => keyName(frame.binding.key)), name].join(" → ");
    const owner = this.#declaringNode(key);
    const needs = `${asker} needs ${name}`;
    if (owner === undefined) {
      return `${needs}, which no module declares (${chain}). Add ${name} to the declarations of "${node.name}", or import the module that exports it.`;
    }
    if (!owner.exported.has(key)) {
      return `${needs}, which module "${owner.name}" declares but does not export (${chain}). Add ${name} to the exports of "${owner.name}"${node.name === owner.name ? "" : ` and "${owner.name}" to the imports of "${node.name}"`}.`;
    }
    return `${needs}, which module "${owner.name}" exports but "${node.name}" does not import (${chain}). Add "${owner.name}" to the imports of "${node.name}".`;
  }

  #declaringNode(key: Key): ModuleNode | undefined {
    return this.#graph.nodes.find((node) => node.own.has(key));
  }

  #report(code: Problem["code"], message: string): void {
    this.#problems.push({ code, message });
  }
}

class UnusableDependency extends Error {}

// Stands in for a dependency that could not be resolved, so that construction goes on and finds the other problems too.
const unusable: unknown = new Proxy(Object.freeze({}), {
  get: () => {
    throw new UnusableDependency();
  },
});
