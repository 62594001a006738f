import type { MatchedRoute, RouteParams } from "../context/context.ts";
import type { Match, Routable } from "./router.ts";
import { splitPath } from "./target.ts";

export class MatchedParams implements RouteParams {
  readonly #match: Match<Routable>;

  constructor(match: Match<Routable>) {
    this.#match = match;
  }

  get route(): MatchedRoute | undefined {
    return this.#match.route.matched;
  }

  param(name: string): string {
    const { route, values } = this.#match;
    if (name === "*") return this.rest().join("/");
    const { params } = route.pattern;
    for (let index = 0; index < params.length; index++) {
      if (params[index]?.name === name) return values[index] as string; // a match has a value for each parameter
    }
    return "";
  }

  toMap(): Record<string, string> {
    const { route, values, rest } = this.#match;
    const { params } = route.pattern;
    const map: Record<string, string> = Object.create(null);
    for (let index = 0; index < params.length; index++) {
      map[params[index]?.name as string] = values[index] as string; // the index is below the length; as in param()
    }
    if (rest !== undefined) map["*"] = this.rest().join("/");
    return map;
  }

  /** What `*` matched, segment by segment: a `/` inside one of them was `%2F` on the wire. */
  rest(): readonly string[] {
    const { rest, route } = this.#match;
    return rest === undefined ? [] : splitPath(`/${rest}`, route.method === undefined);
  }
}

export const noParams: RouteParams = Object.freeze({
  route: undefined,
  param: () => "",
  toMap: () => Object.create(null),
  rest: () => [],
});
