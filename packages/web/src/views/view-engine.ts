import type { RouteInfo } from "@tenon/core/platform";
import { describeMissing } from "./describe-missing.ts";
import type { Page } from "./page.ts";

/** What a view gets: the data of the handler, and the page. */
export interface ViewScope {
  readonly data: unknown;
  readonly page: Page;
}

/** Renders views by name. `web({ views: "views" })` makes one with Eta; another template language needs such an object. */
export interface ViewEngine {
  has(name: string): boolean;
  render(name: string, scope: ViewScope): string | Promise<string>;
  /** All names, for messages that suggest the nearest one. */
  names?(): Iterable<string>;
  /** The folder of the views, for the same messages. */
  readonly place?: string;
}

/** No path out of the folder and no hidden files: a view's name may come from a request. */
const viewName = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

export function isViewName(name: string): boolean {
  return viewName.test(name);
}

export const viewNameRule =
  'Names of views are made of the letters a to z, digits, "_", "-" and ".", with "/" between folders, and begin with no "."';

/** `PostsController.index` and `PostsPages.index` are rendered by the view `posts/index`. */
export function viewNameOf({ controller, handler }: Pick<RouteInfo, "controller" | "handler">): string {
  return `${toKebabCase(controller.replace(/(?<=.)(?:Controller|Pages)$/, ""))}/${toKebabCase(plainName(handler))}`;
}

/** `this.index.bind(this)` has the name `bound index`. */
export function plainName(handler: string): string {
  return handler.replace(/^(?:bound )+/, "");
}

function toKebabCase(name: string): string {
  return name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "-")
    .replaceAll("_", "-")
    .toLowerCase();
}

/** For a view that does not exist: its name, where it was looked for, and the nearest name. */
export function describeMissingView(engine: ViewEngine, name: string): string {
  const missing = describeMissing("view", name, engine.place, engine.names?.() ?? []);
  return engine.place === undefined || isViewName(name) ? missing : `${missing} ${viewNameRule}.`;
}

/** A view that could not be rendered, with the line in its file. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
  readonly file: string;
  /** Undefined when it is not known. */
  readonly line: number | undefined;

  constructor(file: string, line: number | undefined, reason: string, cause?: unknown) {
    super(`${file}${line === undefined ? "" : `:${line}`}: ${reason}`, cause === undefined ? undefined : { cause });
    this.file = file;
    this.line = line;
  }
}
