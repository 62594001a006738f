import { type DevtoolsHost, sourceOf } from "@tenon/core/internal";

/** Routes in fields that no `routes()` returns, so that nothing serves them. A command is not served over HTTP anyway. */
export function findUnlisted({ constructed, router }: DevtoolsHost["built"]): string[] {
  const served = new Set(router.routes.map(({ source }) => source));
  return constructed.flatMap(({ instance, name, node }) =>
    Object.entries(Object(instance))
      .filter(([, value]) => isRoute(value) && !served.has(sourceOf(value.handler)))
      .map(
        ([field]) =>
          `${field} of ${name} (module "${node.name}") is a route that no routes() returns: nothing serves it.`,
      ),
  );
}

function isRoute(value: unknown): value is { readonly handler: object } {
  if (typeof value !== "object" || value === null || !("method" in value) || !("handler" in value)) return false;
  return typeof value.method === "string" && typeof value.handler === "function";
}
