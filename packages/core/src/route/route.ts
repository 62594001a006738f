import type { Context, RequestContext } from "../request/context.ts";
import type { Listed } from "../request/context-types.ts";
import type { Contract, ErrorsByStatus, MiddlewareContract } from "../request/contract.ts";
import type { ErrorsOf, InputOf, ResultOf, WrongResult } from "../request/contract-types.ts";
import { contractOf, declareContract, endpoint, withSource } from "../request/endpoint.ts";
import type { Handler, Method, MiddlewareLike } from "../request/handler.ts";
import { joinPaths, type ParamNames } from "../support/pattern.ts";

/** A route as an application writes it: five fields, all of them plain data. `route.get()` and its siblings make them. */
export interface Route {
  /** Left out for groups and for commands. */
  readonly method?: Method;
  readonly path: string;
  readonly handler?: Handler;
  readonly middlewares?: readonly MiddlewareLike[];
  /** Routes below its path, which run after its middlewares: a group has neither method nor handler. */
  readonly children?: Routes;
}

export type Routes = readonly Route[];

export interface Controller {
  routes(): Routes;
}

/** What a route declares beside its path: its contract, and the middlewares before its handler. */
export interface RouteContract extends Contract {
  readonly middlewares?: readonly MiddlewareLike[];
}

/** What `route.under()` declares for every route below a path. */
export type SharedContract = Pick<RouteContract, "middlewares" | "tags" | "errors" | "access" | "hidden">;

/** Declares one route: `route.get("/posts/:id", { returns: Post }, (ctx) => …)`. */
export interface DeclareRoute<Prefix extends string, Shared extends SharedContract> {
  <const Path extends string>(
    path: Path,
    handler: (
      ctx: RequestContext<ParamsIn<Below<Prefix, Path>>, ErrorsOf<Shared>, ValuesSetBy<Shared>, GuardsOf<Shared>>,
    ) => unknown,
  ): Route;
  <const Path extends string, const C extends RouteContract, const Result = never>(
    path: [Result] extends [ResultOf<C>] ? Path : WrongResult<Result, C>,
    contract: keyof C extends keyof RouteContract ? C : RouteContract, // which reports the unknown key
    // without a name of its own: messages of the compiler would show the whole contract with it
    handler: (
      ctx: RequestContext<
        ParamsIn<Below<Prefix, Path>>,
        ErrorsOf<Joined<Shared, C>>,
        ValuesSetBy<Shared> | ValuesSetBy<C>,
        GuardsOf<Shared> | GuardsOf<C>
      >,
      input: InputOf<C>,
    ) => Result | Promise<Result> | PromiseLike<Result>,
  ): Route;
}

/** What a mount declares: it is in no document, because the fetch handler does not say what it takes and returns. */
export type MountContract = Pick<RouteContract, "middlewares" | "access">;

/** Serves a fetch handler: `route.mount("/graphql", { middlewares: [BearerAuth] }, yoga.fetch)`. */
export interface DeclareMount<Prefix extends string, Shared extends SharedContract> {
  <const Path extends string>(path: Path, fetch: FetchHandler<Below<Prefix, Path>, Shared>): Route;
  <const Path extends string, const C extends MountContract>(
    path: Path,
    contract: keyof C extends keyof MountContract ? C : MountContract, // which reports the unknown key
    fetch: FetchHandler<Below<Prefix, Path>, Joined<Shared, C>>,
  ): Route;
}

/** Takes the request, and the context for what guards have set there. */
type FetchHandler<Path extends string, C extends SharedContract> = (
  request: Request,
  ctx: RequestContext<ParamsIn<Path>, ErrorsOf<object>, ValuesSetBy<C>, GuardsOf<C>>,
) => Response | Promise<Response>;

/** The declared routes of a path and those below it. */
export interface RouteBuilder<Prefix extends string = "", Shared extends SharedContract = object> {
  readonly get: DeclareRoute<Prefix, Shared>;
  readonly post: DeclareRoute<Prefix, Shared>;
  readonly put: DeclareRoute<Prefix, Shared>;
  readonly patch: DeclareRoute<Prefix, Shared>;
  readonly delete: DeclareRoute<Prefix, Shared>;
  readonly head: DeclareRoute<Prefix, Shared>;
  readonly options: DeclareRoute<Prefix, Shared>;
  /** A command: `route.command("posts/list", …)` runs as `app posts list`. */
  readonly command: DeclareRoute<Prefix, Shared>;
  /** A fetch handler that serves the path and everything below it, with every method. */
  readonly mount: DeclareMount<Prefix, Shared>;
  /** Routes below a path that share middlewares, tags, errors, `access` or `hidden`, and whose handlers know its parameters. */
  under<const Path extends string, const More extends SharedContract = object>(
    path: Path,
    shared?: keyof More extends keyof SharedContract ? More : SharedContract,
  ): RouteBuilder<Below<Prefix, Path>, Joined<Shared, More>>;
}

/** "" is in every union, as in `Context`: `any` is not assignable to `never`. */
type ParamsIn<Path extends string> = ParamNames<Path> | "";
type Below<Prefix extends string, Path extends string> = Prefix extends "" ? Path : `${Prefix}/${Path}`;
type Joined<A extends SharedContract, B extends SharedContract> = {
  readonly errors: DeclaredErrors<A> & DeclaredErrors<B>;
  readonly middlewares: readonly (MiddlewaresOf<A> | MiddlewaresOf<B>)[];
};
// biome-ignore lint/complexity/noBannedTypes: no errors, which an intersection leaves out
type DeclaredErrors<C> = C extends { readonly errors: infer E extends ErrorsByStatus } ? E : {};
type MiddlewaresOf<C> = C extends { readonly middlewares: readonly (infer M extends MiddlewareLike)[] } ? M : never;

/** The classes of its middlewares. */
type GuardsOf<C> = ListedOf<MiddlewaresOf<C>> | "";
type ListedOf<M> = M extends new () => infer Guard ? Listed<Guard> : never;
/** The names in `sets` of the contracts of its middlewares. */
type ValuesSetBy<C> = SetBy<MiddlewaresOf<C>> | "";
type SetBy<M> = M extends new () => infer Instance ? SetIn<Instance> : SetIn<M>;
type SetIn<M> = M extends { readonly contract: infer D }
  ? NamesIn<D extends readonly (infer Each)[] ? Each : D>
  : never;
type NamesIn<D> = D extends MiddlewareContract<infer Name> ? (string extends Name ? never : Name) : never;

function createBuilder(prefix: string, shared: SharedContract): RouteBuilder {
  const declare =
    (method: Method | undefined): DeclareRoute<string, object> =>
    (path: string, ...rest: readonly unknown[]): Route => {
      const [contract, handler] = rest.length < 2 ? [{}, rest[0]] : rest;
      return toRecord(method, joinPaths(prefix, path), join(shared, contract as RouteContract), handler);
    };
  const mount = (path: string, ...rest: readonly unknown[]): Route => {
    const [contract, fetch] = rest.length < 2 ? [{}, rest[0]] : rest;
    return toMount(joinPaths(prefix, path), join(shared, contract as RouteContract), fetch as Fetch); // of DeclareMount
  };
  return {
    get: declare("GET"),
    post: declare("POST"),
    put: declare("PUT"),
    patch: declare("PATCH"),
    delete: declare("DELETE"),
    head: declare("HEAD"),
    options: declare("OPTIONS"),
    command: declare(undefined),
    mount,
    under: (path: string, more: SharedContract = {}) => createBuilder(joinPaths(prefix, path), join(shared, more)),
  } as RouteBuilder; // the types of paths and contracts exist at compile time only
}

/** Declares routes as plain records. Fields of a controller give them their names: `readonly show = route.get(…)`. */
export const route: RouteBuilder = createBuilder("", {});

function toRecord(method: Method | undefined, path: string, declared: RouteContract, handler: unknown): Route {
  const { middlewares, ...contract } = declared;
  return {
    ...(method === undefined ? {} : { method }),
    path,
    handler: toHandler(contract, handler as Handler), // its context is typed by the path
    ...(middlewares === undefined ? {} : { middlewares }),
  };
}

type Fetch = (request: Request, ctx: Context) => Response | Promise<Response>;

/** HEAD requests are served by the GET routes. */
const mountedMethods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const satisfies readonly Method[];

/** A group of plain routes with one handler, whose name tells the audit that they are one mount. */
function toMount(path: string, declared: RouteContract, fetch: Fetch): Route {
  const { middlewares, errors: _, ...contract } = declared; // the errors of a group are not those of the fetch handler
  const { "(mount)": handle } = { "(mount)": (ctx: Context) => respond(fetch, ctx) };
  const handler = withSource(endpoint({ ...contract, hidden: true }, handle), fetch);
  const children = ["/", "/*"].flatMap((below) => mountedMethods.map((method) => ({ method, path: below, handler })));
  return { path, ...(middlewares === undefined ? {} : { middlewares }), children };
}

async function respond(fetch: Fetch, ctx: Context): Promise<Response> {
  const view = ctx.request();
  try {
    return await fetch(view.toWebRequest(), ctx);
  } finally {
    view.checkWebBody(); // a body that is too large is 413, not what the fetch handler makes of it
  }
}

/** `events()` and `socket()` have declared a contract already: what the route says of it comes on top. */
function toHandler(contract: Contract, handler: Handler): Handler {
  const own = contractOf(handler);
  if (own !== undefined) return declareContract(handler, join(own, contract));
  return Object.keys(contract).length === 0 ? handler : endpoint(contract, handler);
}

/** The inner one wins; middlewares and errors of both apply. */
function join<C extends RouteContract>(outer: RouteContract, inner: C): C {
  const middlewares = [...(outer.middlewares ?? []), ...(inner.middlewares ?? [])];
  const errors = { ...outer.errors, ...inner.errors };
  return {
    ...outer,
    ...inner,
    ...(middlewares.length > 0 && { middlewares }),
    ...(Object.keys(errors).length > 0 && { errors }),
  };
}

export interface ResourceHandlers<Path extends string = string> {
  readonly index?: (ctx: Context<Path>) => unknown;
  readonly show?: (ctx: Context<`${Path}/:id`>) => unknown;
  readonly create?: (ctx: Context<Path>) => unknown;
  readonly update?: (ctx: Context<`${Path}/:id`>) => unknown;
  readonly delete?: (ctx: Context<`${Path}/:id`>) => unknown;
}

const conventions = [
  { name: "index", method: "GET", suffix: "" },
  { name: "show", method: "GET", suffix: "/:id" },
  { name: "create", method: "POST", suffix: "" },
  { name: "update", method: "PUT", suffix: "/:id" },
  { name: "delete", method: "DELETE", suffix: "/:id" },
] as const satisfies readonly { name: keyof ResourceHandlers; method: Method; suffix: string }[];

/** The conventional routes of a collection, for those of the five handlers that exist. */
export function resource<const Path extends string>(
  path: Path,
  handlers: ResourceHandlers<NoInfer<Path>>,
  options: Pick<Route, "middlewares"> = {},
): Routes {
  return conventions.flatMap(({ name, method, suffix }): Routes => {
    const handler: Handler | undefined = handlers[name];
    return handler === undefined ? [] : [{ method, path: joinPaths(path, suffix), handler, ...options }];
  });
}
