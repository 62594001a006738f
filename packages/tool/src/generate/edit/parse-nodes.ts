import { parse } from "@babel/parser";
import { type Node, traverseFast } from "@babel/types";

/** Every node of a TypeScript file, parents before children. Undefined when the file has a syntax error. */
export function parseNodes(source: string): Node[] | undefined {
  const nodes: Node[] = [];
  try {
    // without nodes for parentheses, the end of (A) would be before its bracket
    const file = parse(source, { sourceType: "module", plugins: ["typescript"], createParenthesizedExpressions: true });
    traverseFast(file, (node) => {
      nodes.push(node);
    });
  } catch {
    return undefined;
  }
  return nodes;
}
