/** Routes as an API has them: for each resource a list, one, a part of one, and files. */
export interface RouteSet {
  readonly patterns: readonly string[];
  readonly look: Readonly<Record<LookUp, LookUps>>;
}

export interface LookUps {
  readonly paths: readonly string[];
  /** The pattern that each of them must find, undefined for none. */
  readonly patterns: readonly (string | undefined)[];
}

export const lookUps = ["static", "1 parameter", "3 parameters", "wildcard", "miss", "again"] as const;
export type LookUp = (typeof lookUps)[number];

export const routerSizes = [10, 100, 1000, 10_000] as const;

/** More than any cache of paths holds: what is measured is the look-up. Only "again" repeats the same few. */
const distinct = 32_768;
const few = 512;

/** `size` patterns, five for each resource, and as many paths of each kind at every size. */
export function createRouteSet(size: number): RouteSet {
  const resources = Array.from({ length: size / 5 }, (_, index) => `/api/v${index % 3}/resource${index}`);
  /** For a number: the rest of a path after its resource, and the rest of the pattern. */
  const fill = (make: (number: number) => readonly [path: string, pattern: string | undefined]): LookUps => {
    const looked = Array.from({ length: distinct }, (_, index) => {
      // far apart from one look-up to the next, as requests are
      const resource = resources[(index * 7919) % resources.length] ?? "";
      const [path, pattern] = make((index * 104_729) % 1_000_000);
      return { path: flat(resource + path), pattern: pattern === undefined ? undefined : resource + pattern };
    });
    return { paths: looked.map(({ path }) => path), patterns: looked.map(({ pattern }) => pattern) };
  };
  const one = fill((number) => [`/${number}`, "/:id"]);
  return {
    patterns: resources.flatMap((resource) =>
      ["", "/recent", "/files/*", "/:id", "/:id/items/:item/notes/:note"].map((rest) => resource + rest),
    ),
    look: {
      static: fill((number) => (number % 2 === 0 ? ["", ""] : ["/recent", "/recent"])),
      "1 parameter": one,
      "3 parameters": fill((number) => [
        `/${number}/items/${number + 1}/notes/${number + 2}`,
        "/:id/items/:item/notes/:note",
      ]),
      wildcard: fill((number) => [`/files/a/${number}.txt`, "/files/*"]),
      miss: fill((number) => [`/${number}/nothing`, undefined]),
      again: { paths: one.paths.slice(0, few), patterns: one.patterns.slice(0, few) },
    },
  };
}

/** In one piece, as the parser makes it: a text put together from others is slower to read. */
function flat(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}
