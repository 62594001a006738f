import type { MatchedRoute } from "@tenon/core";
import { findNearestPath } from "./nearest-path.ts";
import type { Page } from "./page.ts";

/** What a view sees: what the handler returned, and what the page knows besides. */
export interface ViewScope {
  readonly data: unknown;
  readonly page: Page;
}

/** Renders views by name. `web({ views: "views" })` makes one of Eta; any other template language is such an object. */
export interface ViewEngine {
  has(name: string): boolean;
  render(name: string, scope: ViewScope): string | Promise<string>;
  /** All names, for messages that say which one was probably meant. */
  names?(): Iterable<string>;
  /** Where the views are, for the same messages. */
  readonly place?: string;
}

/** Nothing that leads out of a folder, and no hidden files: a view's name may have come from a request. */
const viewName = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

export function isViewName(name: string): boolean {
  return viewName.test(name);
}

export const viewNameRule =
  'Names of views are made of the letters a to z, digits, "_", "-" and ".", with "/" between folders, and begin with no "."';

/** `PostsController.index` and `PostsPages.index` are shown by the view `posts/index`. */
export function viewNameOf({ controller, handler }: MatchedRoute): string {
  return `${toKebabCase(controller.replace(/(?<=.)(?:Controller|Pages)$/, ""))}/${toKebabCase(plainName(handler))}`;
}

/** `this.index.bind(this)` is called `bound index`. */
export function plainName(handler: string): string {
  return handler.replace(/^(?:bound )+/, "");
}

function toKebabCase(name: string): string {
  return name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "-")
    .replaceAll("_", "-")
    .toLowerCase();
}

/** Why a view cannot be rendered: which one, where it was looked for, and which one was probably meant. */
export function describeMissingView(engine: ViewEngine, name: string): string {
  const near = findNearestPath(name, engine.names?.() ?? []);
  const guess = near === undefined ? "" : ` Did you mean "${near}"?`;
  const place = engine.place === undefined ? "" : ` in ${engine.place}`;
  const rule = engine.place === undefined || isViewName(name) ? "" : ` ${viewNameRule}.`;
  return `There is no view "${name}"${place}.${guess}${rule}`;
}
