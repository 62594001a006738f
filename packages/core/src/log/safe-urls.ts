import { BoundedMap } from "../support/bounded-map.ts";
import { decodePercent } from "../support/path.ts";
import { type Pattern, parsePattern } from "../support/pattern.ts";
import { isSecretName, redacted } from "./log-redact.ts";

interface KnownRoute {
  readonly segments: Pattern["segments"];
  /** The positions of parameters that are named like a secret: `/reset/:token`. */
  readonly places: ReadonlySet<number>;
}

/** Paths without the values of parameters that are named like a secret. */
export class SafePaths {
  /** By the path of a route. */
  readonly #routes = new BoundedMap<string, KnownRoute>(10_000);

  /**
   * `route` is undefined for a miss. Then the first of `others` counts that has a secret parameter and that the path begins
   * like: the client may have used another method, or a path that is too long.
   */
  redact(path: string, route: string | undefined, others: readonly string[] = []): string {
    if (route !== undefined) return replacePlaces(path, this.#find(route));
    if (others.length === 0) return path;
    const sent = path
      .split("/")
      .flatMap((segment) => (segment === "" ? [] : (decodePercent(segment) ?? segment).toLowerCase()));
    const found = others.find((other) => {
      const { segments, places } = this.#find(other);
      if (places.size === 0 || segments.length > sent.length) return false;
      return segments.every((segment, index) => segment === undefined || segment.toLowerCase() === sent[index]);
    });
    return found === undefined ? path : replacePlaces(path, this.#find(found));
  }

  #find(path: string): KnownRoute {
    let route = this.#routes.get(path);
    if (route === undefined) {
      route = toKnownRoute(path);
      this.#routes.set(path, route);
    }
    return route;
  }
}

interface RequestName {
  readonly method: string;
  readonly path: string;
  readonly route: { readonly path: string } | undefined;
}

/** `GET /reset/[redacted]`, for the text of a log line about an error. */
export function toSafeName({ method, path, route }: RequestName): string {
  return `${method} ${route === undefined ? path : replacePlaces(path, toKnownRoute(route.path))}`;
}

function toKnownRoute(path: string): KnownRoute {
  const { segments, params } = parsePattern(path);
  return { segments, places: new Set(params.filter(({ name }) => isSecretName(name)).map(({ index }) => index)) };
}

/** Empty segments do not count: a miss may have some. */
function replacePlaces(path: string, { places }: KnownRoute): string {
  if (places.size === 0) return path;
  let place = 0;
  return path
    .split("/")
    .map((segment) => (segment !== "" && places.has(place++) ? redacted : segment))
    .join("/");
}
