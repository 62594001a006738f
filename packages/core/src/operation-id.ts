/** Where an operation is declared. */
export interface DeclaredHandler {
  readonly controller: string;
  readonly handler: string;
}

/** `posts.show` for `show` of `PostsController`. Undefined for a handler without a name. */
export function toOperationId({ controller, handler }: DeclaredHandler): string | undefined {
  const name = handler.replace(/^#/, ""); // a private method
  // a function that is written in the record itself is called "handler", after its key
  if (name === "handler" || !/^[A-Za-z_][\w]*$/.test(name)) return undefined;
  const owner = toCamelCase(controller.replace(/(?<=.)Controller$/, ""));
  return owner === "" ? undefined : `${owner}.${name}`;
}

/** `APIKeys` → `apiKeys`; routes that are added at run time have owners with other characters: `app.routes` → `appRoutes`. */
function toCamelCase(name: string): string {
  const [first = "", ...others] = name.split(/[^\w$]+/).filter((word) => word !== "");
  const head = first.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (capitals) => capitals.toLowerCase());
  return [head, ...others.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join("");
}
