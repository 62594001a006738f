import { isForm } from "@tenon/core/internal";
import type { Incoming, RequestHandler } from "@tenon/core/platform";

const parameter = "_method";
const overriding = new Set(["PUT", "PATCH", "DELETE"]);

/**
 * Lets a form use methods that HTML forms lack: `<form method="post" action="/posts/1?_method=DELETE">`.
 * In the query and not in the body, because the route and its guards are resolved before a body is read.
 */
export function overrideMethods(kernel: RequestHandler): RequestHandler {
  return {
    handle(incoming) {
      const method = findMethod(incoming);
      if (method !== undefined) incoming.method = method;
      return kernel.handle(incoming);
    },
  };
}

/** Only for forms: other clients can send the method itself. */
function findMethod(incoming: Incoming): string | undefined {
  if (incoming.method !== "POST" || incoming.search === "") return undefined;
  if (!isForm(incoming.header("content-type") ?? "")) return undefined;
  const method = new URLSearchParams(incoming.search).get(parameter)?.toUpperCase() ?? "";
  return overriding.has(method) ? method : undefined;
}
