import { type Context, Reply } from "@tenon/core";

const redirectStatuses = [301, 302, 303, 307, 308] as const;
export type RedirectStatus = (typeof redirectStatuses)[number];

/** Data and the view that renders them. A platform without views writes the data as JSON. */
export class View extends Reply {
  readonly name: string;

  constructor(name: string, data: unknown, status: number) {
    super(status, "json", data);
    this.name = name;
  }

  override withValue(value: unknown): View {
    return new View(this.name, value, this.status);
  }

  /** `ctx.status(201).json(view("posts/show", post))` writes the data on a platform without views. */
  toJSON(): unknown {
    return this.value;
  }
}

/** A redirect, whose target `web()` checks. */
export class Redirect extends Reply {
  declare readonly status: RedirectStatus;
  readonly to: string;

  constructor(to: string, status: RedirectStatus) {
    super(status, "empty", undefined);
    this.to = to;
  }
}

/** Renders a view of the views folder, without its extension: `view("posts/show", post)`. */
export function view(name: string, data: unknown = {}, options: { readonly status?: number } = {}): View {
  if (typeof name !== "string" || name === "") {
    throw new TypeError('view() takes the name of a view first: view("posts/show", post)');
  }
  return new View(name, data, options.status ?? 200);
}

/** Redirects the browser. The status defaults to 303, so that reloading the next page sends no form again. */
export function redirect(to: string, options: { readonly status?: RedirectStatus } = {}): Redirect {
  if (typeof to !== "string") throw new TypeError('redirect() takes a path first: redirect("/posts")');
  const { status = 303 } = options;
  if (!redirectStatuses.includes(status)) {
    throw new RangeError(`redirect() takes one of ${redirectStatuses.join(", ")}, not ${String(status)}`);
  }
  return new Redirect(to, status);
}

/**
 * Turns the data of a handler into a `view()`, a `redirect()` or any other reply; undefined leaves them to the default
 * rules. Not called for a view, a redirect, a text or a stream that a handler returns.
 */
export type Serializer = (value: unknown, ctx: Context) => Reply | undefined | Promise<Reply | undefined>;
