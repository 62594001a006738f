import { type Routable, Router } from "../../src/route/router.ts";
import { parsePattern } from "../../src/support/pattern.ts";

/** A router over routes written as `GET /users/:id`. */
export function routerOf(...routes: readonly string[]): Router<Routable> {
  return new Router(
    routes.map((route) => {
      const [method = "", path = ""] = route.split(" ");
      return { method: method || undefined, pattern: parsePattern(path) };
    }),
  );
}

/** The path of the matched route, or "404". */
export function resolvePath(router: Router<Routable>, path: string, method = "GET"): string {
  return router.resolve(method, path)?.route.pattern.path ?? "404";
}
