// The data of all peers, so that all of them send the same responses.

export const hello = Object.freeze({ hello: "world" });

export const secret = "bench: a secret that everybody may know, 32 bytes and more";

export interface Post {
  readonly id: number;
  readonly title: string;
  readonly content: string;
  readonly author: string;
  readonly published: boolean;
  readonly created_at: string;
}

/** Fifty posts, about 15 kB as JSON. */
export const posts: readonly Post[] = Array.from({ length: 50 }, (_, index) => ({
  id: index + 1,
  title: `Post number ${index + 1}`,
  content: `The ${index + 1}. post says what there is to say, in a line or two. `.repeat(3).trim(),
  author: `Author ${(index % 7) + 1}`,
  published: index % 5 !== 0,
  created_at: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
}));

/** Seven of them, about 2 kB. */
export const fewPosts = posts.slice(0, 7);

/** The folder with `posts.json` and `posts.json.br`, for `bench -- compress`. */
export function filesFolder(): string {
  const { BENCH_FILES: folder } = process.env;
  if (folder === undefined) throw new Error("BENCH_FILES names the folder to serve");
  return folder;
}

export interface NewPost {
  readonly title: string;
  readonly content: string;
  readonly priority: number;
  readonly published: boolean;
  readonly tags: readonly string[];
}

/** The response to a created post. */
export function created({ title, content, priority, published, tags }: NewPost) {
  return { id: 1, title, content, priority, published, tags };
}

export interface BenchRoute {
  readonly path: string;
  readonly params: readonly string[];
  readonly route: number;
}

const nouns = ["users", "orders", "invoices", "products", "teams", "events", "tickets", "reports", "files", "tags"];

/** 500 routes: a hundred resources of five, three fifths of them with parameters. */
export const routes: readonly BenchRoute[] = Array.from({ length: 100 }, (_, index) => {
  const base = `/v${Math.floor(index / 10) + 1}/${nouns[index % 10]}`;
  return [
    { path: base, params: [] },
    { path: `${base}/search`, params: [] },
    { path: `${base}/:id`, params: ["id"] },
    { path: `${base}/:id/items`, params: ["id"] },
    { path: `${base}/:id/items/:item`, params: ["id", "item"] },
  ];
})
  .flat()
  .map((route, index) => ({ ...route, route: index }));

/** The response of a route. `param` is how a peer reads a parameter by its name. */
export function toBody({ route, params }: BenchRoute, param: (name: "id" | "item") => string | undefined) {
  if (params.length === 0) return { route };
  if (params.length === 1) return { route, id: param("id") };
  return { route, id: param("id"), item: param("item") };
}

/** About 300 µs of processor time. */
export function work() {
  let sum = 0;
  for (let index = 0; index < 300_000; index++) sum = (sum * 31 + index) | 0;
  return { sum };
}
