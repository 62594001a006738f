import { describeChain, describeValue, importEachOther } from "../errors.ts";
import { isClass, isKey, type Key, keyName } from "../token.ts";
import type { Graph, ModuleNode } from "./graph.ts";

export interface Question {
  readonly node: ModuleNode;
  /** Who asks. */
  readonly user: string;
  readonly key: Key;
  /** The names of what is being constructed, the outermost first. */
  readonly chain: readonly string[];
}

/** Why `inject(key)` finds nothing: who asks, who has it, and what to write where. */
export function explainUnknown(graph: Graph, { node, user, key, chain }: Question): string {
  const asker = labelOf(user, node);
  if (!isKey(key)) {
    const cure = key === undefined ? importEachOther : "Pass a class, or a token made with token().";
    return `${asker} calls inject() with ${describeValue(key)}, which is neither a class nor a token. ${cure}`;
  }
  const name = keyName(key);
  const way = describeChain([...(chain.length === 0 ? [user] : chain), name]);
  const owners = graph.nodes.filter((other) => other.own.has(key));
  const exporter = owners.find((other) => other.exported.has(key));
  if (exporter !== undefined) {
    return `${asker} needs ${name}, which module "${exporter.name}" exports but "${node.name}" does not import (${way}). Add "${exporter.name}" to the imports of "${node.name}".`;
  }
  const [owner] = owners;
  if (owner !== undefined) {
    const andImport = node.imports.has(owner) ? "" : ` and "${owner.name}" to the imports of "${node.name}"`;
    return `${asker} needs ${name}, which module "${owner.name}" declares but does not export (${way}). Add ${name} to the exports of "${owner.name}"${andImport}.`;
  }
  const namesake = graph.nodes.find((other) => other.own.keys().some((declared) => keyName(declared) === name));
  const cure =
    namesake === undefined
      ? `Add ${isClass(key) ? name : `provide(${name}, …)`} to the declarations of "${node.name}", or import the module that exports it.`
      : `Module "${namesake.name}" declares another ${name}: import it from the same file in both places.`;
  return `${asker} needs ${name}, which no module declares (${way}). ${cure}`;
}

export function labelOf(name: string, node: ModuleNode): string {
  return `${name} (module "${node.name}")`;
}
