import { parsePattern, shapeOf } from "../support/pattern.ts";

export interface PathParameter {
  /** Its name in the document. */
  readonly name: string;
  /** Its name in the path of the route; "*" for the rest of the path. */
  readonly own: string;
  readonly description: string;
}

/**
 * Paths as OpenAPI writes them. `GET /posts/:id` and `PUT /posts/:post` are one path there: the names of the first route
 * count for both.
 */
export class PathTemplates {
  readonly #names = new Map<string, readonly string[]>();

  /** `/posts/{id}`, and its parameters. */
  toTemplate(path: string): { readonly path: string; readonly parameters: readonly PathParameter[] } {
    const pattern = parsePattern(path);
    const shape = shapeOf(pattern);
    const own = pattern.params.map(({ name }) => name);
    const names = this.#names.get(shape) ?? (pattern.wildcard ? [...own, toFreeName(own)] : own);
    this.#names.set(shape, names);
    const rest = pattern.wildcard ? ["*"] : [];
    const parameters = [...own, ...rest].map((one, index) => ({
      name: names[index] as string, // paths of one shape have as many parameters
      own: one,
      description: one === "*" ? 'The rest of the path, which may contain "/".' : "",
    }));
    let next = 0;
    const segments = pattern.segments.map((text) => (text === undefined ? `{${names[next++]}}` : encodeURI(text)));
    if (pattern.wildcard) segments.push(`{${names.at(-1)}}`);
    return { path: `/${segments.join("/")}`, parameters };
  }
}

function toFreeName(taken: readonly string[]): string {
  let name = "path";
  for (let number = 2; taken.includes(name); number++) name = `path${number}`;
  return name;
}
