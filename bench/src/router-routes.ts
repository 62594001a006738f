/** Routes as an API has them: for each resource a list, one, a part of one, and files. */
export interface RouteSet {
  readonly patterns: readonly string[];
  readonly look: Readonly<Record<LookUp, readonly string[]>>;
}

export const lookUps = ["static", "1 parameter", "3 parameters", "wildcard", "miss", "again"] as const;
export type LookUp = (typeof lookUps)[number];

export const routerSizes = [10, 100, 1000, 10_000] as const;

/** More than any cache of paths holds: what is measured is the look-up. Only "again" asks for the same few. */
const distinct = 32_768;
const few = 512;

/** `size` patterns, five for each resource, and as many paths of each kind at every size. */
export function createRouteSet(size: number): RouteSet {
  const resources = Array.from({ length: size / 5 }, (_, index) => `/api/v${index % 3}/resource${index}`);
  const fill = (make: (resource: string, index: number) => string) =>
    Array.from({ length: distinct }, (_, index) =>
      // far apart from one look-up to the next, as requests are
      flat(make(resources[(index * 7919) % resources.length] ?? "", (index * 104_729) % 1_000_000)),
    );
  const one = fill((resource, index) => `${resource}/${index}`);
  return {
    patterns: resources.flatMap((resource) => [
      resource,
      `${resource}/recent`,
      `${resource}/files/*`,
      `${resource}/:id`,
      `${resource}/:id/items/:item/notes/:note`,
    ]),
    look: {
      static: fill((resource, index) => (index % 2 === 0 ? resource : `${resource}/recent`)),
      "1 parameter": one,
      "3 parameters": fill((resource, index) => `${resource}/${index}/items/${index + 1}/notes/${index + 2}`),
      wildcard: fill((resource, index) => `${resource}/files/a/${index}.txt`),
      miss: fill((resource, index) => `${resource}/${index}/nothing`),
      again: one.slice(0, few),
    },
  };
}

/** In one piece, as the parser makes it: a text put together from others is slower to read. */
function flat(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}
