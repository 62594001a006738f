import { randomInt } from "node:crypto";
import { SignJWT } from "jose";
import { created, hello, posts, routes, secret } from "../peers/support/data.ts";
import { postAt, postCount, postId } from "../peers/support/posts-database.ts";
import type { ScenarioName } from "../peers/support/serve.ts";

export interface BenchRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request and the response that every peer must send. A refusal is any status from 400 to 499. */
export interface Expectation {
  readonly request: BenchRequest;
  readonly status: number | "refused";
  readonly json?: unknown;
  /** The `Content-Encoding`. */
  readonly encoding?: string;
}

export interface Scenario<Name extends string = ScenarioName> {
  readonly name: Name;
  readonly letter: string;
  readonly title: string;
  /** Sent in turn. They differ where those of many clients do. */
  readonly requests: readonly BenchRequest[];
  readonly expectations: readonly Expectation[];
}

const distinct = 20_000;
const users = 500; // half of what the smallest cache of verified tokens holds

function get(path: string, headers: Record<string, string> = {}): BenchRequest {
  return { method: "GET", path, headers };
}

const id = () => String(randomInt(1, 10_000_000));

const newPost = {
  title: "A title of a few words",
  content: "A text of one or two lines, as a user types it into a form and sends it.",
  priority: 3,
  published: true,
  tags: ["news", "bench"],
};

function post(value: unknown): BenchRequest {
  return {
    method: "POST",
    path: "/posts",
    headers: { "content-type": "application/json" },
    body: typeof value === "string" ? value : JSON.stringify(value),
  };
}

function forRoute(index: number): Expectation {
  const { path, params, route } = routes[index % routes.length] ?? { path: "/", params: [], route: -1 };
  const values = Object.fromEntries(params.map((name) => [name, id()]));
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? "");
  return { request: get(filled), status: 200, json: { route, ...values } };
}

async function signToken(key: string, claims: Record<string, unknown>, expires: number): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuedAt()
    .setExpirationTime(Math.floor(Date.now() / 1000) + expires)
    .sign(new TextEncoder().encode(key));
}

async function bearer(): Promise<Scenario> {
  const claimsOf = (user: number) => ({ user_id: postId(user), email: `user${user}@example.com`, role: "user" });
  const me = (token: string) => get("/me", { authorization: `Bearer ${token}` });
  const requests: BenchRequest[] = [];
  for (let user = 0; user < users; user++) requests.push(me(await signToken(secret, claimsOf(user), 86_400)));
  const claims = claimsOf(0);
  return {
    name: "bearer",
    letter: "g",
    title: "bearer-guarded, HS256",
    requests,
    expectations: [
      ...requests.slice(0, 3).map((request, user): Expectation => {
        return { request, status: 200, json: { user_id: claimsOf(user).user_id } };
      }),
      { request: me(await signToken(`not ${secret}`, claims, 86_400)), status: "refused" },
      { request: me(await signToken(secret, claims, -60)), status: "refused" },
      { request: get("/me"), status: "refused" },
    ],
  };
}

export async function createScenarios(): Promise<readonly Scenario[]> {
  const pages = Array.from({ length: distinct }, () => ({ user: id(), post: id(), page: id() }));
  const ofPage = ({ user, post, page }: (typeof pages)[number]) => get(`/users/${user}/posts/${post}?page=${page}`);
  const ofRoutes = Array.from({ length: distinct }, () => forRoute(randomInt(routes.length)));
  return [
    {
      name: "json",
      letter: "a",
      title: "small JSON",
      requests: [get("/")],
      expectations: [{ request: get("/"), status: 200, json: hello }],
    },
    {
      name: "params",
      letter: "b",
      title: "two path parameters and a query",
      requests: pages.map(ofPage),
      expectations: pages.slice(0, 3).map((page) => ({ request: ofPage(page), status: 200, json: page })),
    },
    {
      name: "body",
      letter: "c",
      title: "POST with a validated body, 201",
      requests: [post(newPost)],
      expectations: [
        { request: post(newPost), status: 201, json: created(newPost) },
        { request: post({ ...newPost, title: "" }), status: "refused" },
        { request: post({ ...newPost, title: "x".repeat(201) }), status: "refused" },
        { request: post({ ...newPost, priority: 6 }), status: "refused" },
        { request: post({ ...newPost, tags: [{ no: "string" }] }), status: "refused" },
        { request: post({ title: newPost.title }), status: "refused" },
        { request: post('{"title":'), status: "refused" },
      ],
    },
    {
      name: "middlewares",
      letter: "d",
      title: "five middlewares",
      requests: [get("/")],
      expectations: [{ request: get("/"), status: 200, json: { count: 5 } }],
    },
    {
      name: "list",
      letter: "e",
      title: "a list of 50 posts, 15 kB",
      requests: [get("/posts")],
      expectations: [{ request: get("/posts"), status: 200, json: posts }],
    },
    {
      name: "routes",
      letter: "f",
      title: "500 routes at random",
      requests: ofRoutes.map(({ request }) => request),
      expectations: [
        ...routes.map((_, index) => forRoute(index)),
        { request: get("/v1/nothing/here"), status: "refused" },
      ],
    },
    await bearer(),
    {
      name: "posts",
      letter: "h",
      title: "GET /posts/:id on SQLite",
      requests: Array.from({ length: distinct }, () => get(`/posts/${postId(randomInt(postCount))}`)),
      expectations: [
        { request: get(`/posts/${postId(7)}`), status: 200, json: postAt(7) },
        { request: get(`/posts/${postId(postCount)}`), status: "refused" },
      ],
    },
  ];
}
