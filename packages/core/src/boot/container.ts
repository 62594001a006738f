import { describeChain, type Problem, quoteError, StartError } from "../errors.ts";
import { type Class, type Key, keyName } from "../token.ts";
import type { Binding } from "./declarations.ts";
import { explainUnknown, labelOf } from "./explain.ts";
import type { Graph, ModuleNode } from "./graph.ts";
import { type Injector, withInjector } from "./inject.ts";
import { UnusableDependency, unusable } from "./unusable.ts";

/** Something every module sees, made for the one who asks: the log is named after its user. */
export type Builtin = (user: string) => unknown;

export interface Constructed {
  readonly instance: unknown;
  readonly name: string;
  readonly node: ModuleNode;
}

interface Frame {
  readonly binding: Binding;
  readonly node: ModuleNode;
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
      for (const binding of node.own.values()) {
        if (!this.#homes.has(binding)) this.#homes.set(binding, node);
      }
    }
  }

  constructAll(): void {
    for (const binding of this.#homes.keys()) this.#instance(binding);
  }

  /** Whether `inject(key)` gives something inside `node`. */
  sees(node: ModuleNode, key: Key): boolean {
    return this.#builtins.has(key) || node.visible.has(key);
  }

  /** What `inject(key)` gives to `user` inside `node`. Reports a problem and gives `unusable` when it is not visible there. */
  resolve(node: ModuleNode, key: Key, user: string): unknown {
    const builtin = this.#builtins.get(key);
    if (builtin !== undefined) return builtin(user);
    const binding = node.visible.get(key);
    if (binding === undefined) {
      // what is missing may come from the import that failed, and that problem is already told
      if (node.incomplete) return unusable;
      const chain = this.#stack.map((frame) => keyName(frame.binding.key));
      this.#report("UNKNOWN_DEPENDENCY", explainUnknown(this.#graph, { node, user, key, chain }));
      return unusable;
    }
    const start = this.#stack.findIndex((frame) => frame.binding === binding);
    if (start < 0) return this.#instance(binding);
    this.#report("DEPENDENCY_CYCLE", explainCycle(this.#stack.slice(start).map(labelOfFrame)));
    return unusable;
  }

  /** The declared instance of a class, or one made for this module when no module declares it; undefined after a problem. */
  obtain<T>(node: ModuleNode, type: Class<T>, user: string): T | undefined {
    const declared = this.sees(node, type) || this.#graph.nodes.some((other) => other.own.has(type));
    const instance = declared ? this.resolve(node, type, user) : this.#makeUndeclared(node, type);
    return instance === unusable ? undefined : (instance as T); // made by that very class
  }

  #makeUndeclared(node: ModuleNode, type: Class): unknown {
    const made = this.#undeclared.get(node) ?? new Map<Class, unknown>();
    this.#undeclared.set(node, made);
    if (made.has(type)) return made.get(type);
    const before = this.#problems.length;
    const instance = this.#construct({ key: type, module: node.name, construct: () => new type() }, node);
    // what met a problem is not kept: a route added later with the same class must fail again
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
    const name = keyName(binding.key);
    const injector: Injector = { resolve: (key) => this.resolve(node, key, name) };
    const frame = { binding, node };
    this.#stack.push(frame);
    try {
      const instance = withInjector(injector, binding.construct);
      if (instance === unusable) return unusable; // a factory that passes on what it injects
      if (instance instanceof Promise) {
        instance.catch(() => {}); // without it a rejecting factory would end the process before the problem is told
        this.#report(
          "BAD_DECLARATION",
          `The factory of ${labelOfFrame(frame)} returned a promise. Factories are synchronous: return the object and connect in its onStart().`,
        );
        return unusable;
      }
      this.constructed.push({ instance, name, node });
      return instance;
    } catch (error) {
      if (!(error instanceof UnusableDependency)) this.#logError(labelOfFrame(frame), error);
    } finally {
      this.#stack.pop();
    }
    return unusable;
  }

  #logError(label: string, error: unknown): void {
    if (error instanceof StartError) {
      this.#problems.push(...error.problems); // a factory that checks its options has said all there is to say
      return;
    }
    const chain = this.#stack.map((frame) => keyName(frame.binding.key));
    const needed = chain.length > 1 ? ` (${describeChain(chain)})` : "";
    const reason = isTooDeep(error, chain.length)
      ? `a chain of ${chain.length.toLocaleString("en-US")} injections exhausts the stack. Shorten it.`
      : quoteError(error);
    const message = `${label} could not be constructed${needed}: ${reason}`;
    this.#problems.push({ code: "CONSTRUCTION_FAILED", message, cause: error });
  }

  #report(code: Problem["code"], message: string): void {
    this.#problems.push({ code, message });
  }
}

function labelOfFrame({ binding, node }: Frame): string {
  return labelOf(keyName(binding.key), node);
}

const deep = 100;

/** With a short chain, it is a constructor that calls itself: then the error says where. */
function isTooDeep(error: unknown, length: number): boolean {
  return length > deep && error instanceof RangeError && error.message === "Maximum call stack size exceeded";
}

function explainCycle(labels: readonly string[]): string {
  const [first] = labels;
  if (labels.length === 1) return `${first} injects itself. Use this in its place.`;
  return `Dependencies form a cycle: ${describeChain([...labels, first as string])}. Move what they share into a service that both inject.`;
}
