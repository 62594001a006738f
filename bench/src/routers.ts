// Each router as two functions: one builds it and refuses two routes of one shape where the router does, the other looks up a path.

/** Returns the index of the route that was found, and -1 for a miss. */
export type Find = (path: string) => number;
export type Build = (patterns: readonly string[]) => Find;

export interface RouterInfo {
  readonly name: string;
  readonly package: string;
  readonly load: () => Promise<Build>;
}

export const routers: readonly RouterInfo[] = [
  {
    name: "Tenon",
    package: "@tenon/core",
    load: async () => {
      const [{ Router }, { parsePattern }, { findDuplicateRoutes }] = await Promise.all([
        import("../../packages/core/src/route/router.ts"),
        import("../../packages/core/src/support/pattern.ts"),
        import("../../packages/core/src/route/duplicates.ts"),
      ]);
      return (patterns) => {
        const routes = patterns.map((path, index) => {
          return { method: "GET" as const, path, pattern: parsePattern(path), owner: "bench", index };
        });
        const [problem] = findDuplicateRoutes(routes as unknown as Parameters<typeof findDuplicateRoutes>[0]); // it reads no more
        if (problem !== undefined) throw new Error(problem.message);
        const router = new Router(routes);
        return (path) => router.resolve("GET", path)?.route.index ?? -1;
      };
    },
  },
  {
    name: "find-my-way",
    package: "find-my-way",
    load: async () => {
      const { default: FindMyWay } = await import("find-my-way");
      return (patterns) => {
        const router = FindMyWay();
        for (const [index, path] of patterns.entries()) router.on("GET", path, () => {}, index + 1); // 0 is none
        return (path) => ((router.find("GET", path)?.store as number | undefined) ?? 0) - 1;
      };
    },
  },
  {
    name: "rou3",
    package: "rou3",
    load: async () => {
      const { addRoute, createRouter, findRoute } = await import("rou3");
      return (patterns) => {
        const router = createRouter<number>();
        for (const [index, path] of patterns.entries()) addRoute(router, "GET", path.replace("/*", "/**"), index);
        return (path) => findRoute(router, "GET", path)?.data ?? -1;
      };
    },
  },
  {
    name: "memoirist",
    package: "memoirist",
    load: async () => {
      const { Memoirist } = await import("memoirist");
      return (patterns) => {
        const router = new Memoirist<number>();
        for (const [index, path] of patterns.entries()) router.add("GET", path, index);
        return (path) => router.find("GET", path)?.store ?? -1;
      };
    },
  },
  {
    name: "Hono RegExpRouter",
    package: "hono",
    load: async () => {
      const { RegExpRouter } = await import("hono/router/reg-exp-router");
      return (patterns) => honoRouter(new RegExpRouter<number>(), patterns);
    },
  },
  {
    name: "Hono TrieRouter",
    package: "hono",
    load: async () => {
      const { TrieRouter } = await import("hono/router/trie-router");
      return (patterns) => honoRouter(new TrieRouter<number>(), patterns);
    },
  },
  {
    name: "Hono SmartRouter",
    package: "hono",
    load: async () => {
      const [{ SmartRouter }, { RegExpRouter }, { TrieRouter }] = await Promise.all([
        import("hono/router/smart-router"),
        import("hono/router/reg-exp-router"),
        import("hono/router/trie-router"),
      ]);
      return (patterns) =>
        honoRouter(new SmartRouter<number>({ routers: [new RegExpRouter(), new TrieRouter()] }), patterns);
    },
  },
];

interface HonoRouter {
  add(method: string, path: string, handler: number): void;
  match(method: string, path: string): readonly [readonly (readonly [number, unknown])[], ...unknown[]];
}

/** Hono's routers build at the first look-up. */
function honoRouter(router: HonoRouter, patterns: readonly string[]): Find {
  for (const [index, path] of patterns.entries()) router.add("GET", path, index);
  router.match("GET", "/");
  return (path) => router.match("GET", path)[0][0]?.[0] ?? -1;
}
