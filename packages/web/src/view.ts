import { Reply } from "@tenon/core";

const redirectStatuses = [301, 302, 303, 307, 308] as const;
export type RedirectStatus = (typeof redirectStatuses)[number];

/** Data, and the view that shows them. On a platform without views it is a reply like any other: the same data as JSON. */
export class View extends Reply {
  readonly name: string;

  constructor(name: string, data: unknown, status: number) {
    super(status, "json", data);
    this.name = name;
  }

  /** `ctx.status(201).json(view("posts/show", post))` writes the data where there are no views. */
  toJSON(): unknown {
    return this.value;
  }
}

/** Where the browser goes next. */
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

/** Sends the browser to another page: 303, so that reloading it sends no form again. */
export function redirect(to: string, options: { readonly status?: RedirectStatus } = {}): Redirect {
  if (typeof to !== "string") throw new TypeError('redirect() takes a path first: redirect("/posts")');
  const { status = 303 } = options;
  if (!redirectStatuses.includes(status)) {
    throw new RangeError(`redirect() takes one of ${redirectStatuses.join(", ")}, not ${String(status)}`);
  }
  return new Redirect(to, status);
}
