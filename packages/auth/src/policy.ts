import { type Context, HttpError, type Middleware, type MiddlewareContract, type Next } from "@tenon/core";
import type { Lease } from "@tenon/core/internal";
import { isInvalidValue } from "@tenon/data";

/** What a policy responds, by status. */
export interface PolicyErrors {
  /** Defaults to `Forbidden`. */
  readonly 403?: string;
  /** Defaults to `Not Found`. */
  readonly 404?: string;
}

/**
 * Decides by the object that a request names whether the request may pass. List it after the guard that authenticates:
 * `middlewares: [BearerAuth, PostOwner]`. It runs before the query and the body are read.
 */
export abstract class Policy<T extends object = object> implements Middleware {
  /** The rule in words: `"post owner"`. The OpenAPI document and `tenon routes` show it. */
  abstract readonly name: string;
  /** The response for an object that does not exist; "pass" leaves it to the handler. */
  abstract readonly missing: 404 | "pass";
  /** The response for a user who may not; 404 hides that the object exists. */
  abstract readonly denied: 403 | 404;
  /** The parameter of the path with the id of the object. Defaults to "id". */
  readonly param: string = "id";
  /** Other parameters of the path that `load` takes into account: the audit asks for no policy of their own. */
  readonly covers: readonly string[] = [];
  /** The messages of the responses. */
  readonly errors: PolicyErrors = {};

  /** Finds the object; undefined or null for one that does not exist. An error is a 500, never a pass. */
  abstract load(id: string, ctx: Context): Found<T> | Promise<Found<T>>;
  /** Whether the request may pass. Only `true` does; an `HttpError` that it throws is the response. */
  abstract allow(ctx: Context, object: T): boolean | Promise<boolean>;

  /** Written from the fields of the class, which have their values after it is constructed. */
  get contract(): MiddlewareContract {
    const statuses = new Set([this.denied, 404] as const);
    const errors = Object.fromEntries([...statuses].map((one) => [one, this.#messageOf(one)]));
    return { policy: this.name, covers: [this.param, ...this.covers], errors };
  }

  async handle(ctx: Context, next: Next) {
    const id = ctx.param(this.param as "id"); // the name of any parameter
    if (id === "") {
      const { method = "", path = "" } = ctx.route ?? {};
      const place = `${method} ${path}`.trim();
      throw new Error(`The policy ${this.constructor.name} reads the parameter :${this.param}, which ${place} lacks.`);
    }
    const object = await this.check(ctx, id);
    if (ctx.isLive) ctx.addLease(this.lease(ctx, id)); // else a user who loses the permission would keep the connection
    const objects = loadedObjects.get(ctx) ?? new Map<unknown, object | undefined>();
    loadedObjects.set(ctx, objects.set(this.constructor, object));
    return next();
  }

  /**
   * The same decision about another id, such as one of the body or of a message. Throws the response where it does not
   * pass. Undefined for an object that does not exist, where `missing` is "pass".
   */
  async check(ctx: Context, id: string): Promise<LoadedBy<this>> {
    const object = await this.#find(id, ctx);
    if (object === undefined) {
      if (this.missing !== "pass") throw new HttpError(this.missing, this.#messageOf(this.missing));
    } else if ((await this.allow(ctx, object)) !== true) {
      throw new HttpError(this.denied, this.#messageOf(this.denied));
    }
    return object as LoadedBy<this>; // undefined only where `missing` says so
  }

  /** The same decision for as long as a topic is subscribed to: give it to `Channels.subscribe()` after a `check()`. */
  lease(ctx: Context, id: string): Lease {
    return { reason: `the policy "${this.name}" no longer allows it`, isValid: () => this.#passes(ctx, id) };
  }

  /** Throws anything but a rejection: a store that is down, a StoreError with 503, must not close every connection. */
  async #passes(ctx: Context, id: string): Promise<boolean> {
    try {
      await this.check(ctx, id);
      return true;
    } catch (error) {
      if (error instanceof HttpError && error.status < 500) return false;
      throw error;
    }
  }

  /**
   * An id that no row can have is a 404: PostgreSQL fails to compare it, and SQLite finds nothing. It does not pass,
   * because another value of the query may be the invalid one.
   */
  async #find(id: string, ctx: Context): Promise<T | undefined> {
    try {
      if (!id.includes("\0")) return (await this.load(id, ctx)) ?? undefined;
    } catch (error) {
      if (!isInvalidValue(error)) throw error;
    }
    throw new HttpError(404, this.#messageOf(404));
  }

  #messageOf(status: 403 | 404): string {
    return this.errors[status] ?? (status === 403 ? "Forbidden" : "Not Found");
  }
}

type Found<T> = T | null | undefined;

/** What a policy has loaded: undefined is part of it where `missing` is "pass". */
export type LoadedBy<P extends Loader> =
  | NonNullable<Awaited<ReturnType<P["load"]>>>
  | ("pass" extends P["missing"] ? undefined : never);

/** Not `Policy`, whose `check()` returns `LoadedBy<this>`: the compiler makes `any` of the circle. */
interface Loader {
  readonly missing: unknown;
  load(id: string, ctx: Context): unknown;
}

/** By request, the objects of its policies. */
const loadedObjects = new WeakMap<Context, Map<unknown, object | undefined>>();

/** The object that a policy of this route has loaded, without a second query: `loaded(ctx, PostOwner)`. */
export function loaded<P extends Policy>(ctx: Context<string, NoInfer<P>>, policy: new () => P): LoadedBy<P> {
  const objects = loadedObjects.get(ctx);
  if (objects?.has(policy) !== true) {
    throw new Error(`loaded() finds nothing of ${policy.name}: list it in the middlewares of this route.`);
  }
  return objects.get(policy) as LoadedBy<P>; // set by this policy
}
