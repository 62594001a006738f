import type { MatchedRoute } from "../context/context.ts";
import { findNearest } from "../nearest.ts";
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

/** `PostsController.index` and `PostsPages.index` are shown by the view `posts/index`. */
export function viewNameOf({ controller, handler }: MatchedRoute): string {
  return `${toKebabCase(controller.replace(/(?<=.)(?:Controller|Pages)$/, ""))}/${toKebabCase(handler)}`;
}

function toKebabCase(name: string): string {
  return name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "-")
    .replaceAll("_", "-")
    .toLowerCase();
}

/** Why a view cannot be rendered: which one, where it was looked for, and which one was probably meant. */
export function describeMissingView(engine: ViewEngine, name: string): string {
  const near = findNearest(name, engine.names?.() ?? []);
  const guess = near === undefined ? "" : ` Did you mean "${near}"?`;
  const place = engine.place === undefined ? "" : ` in ${engine.place}`;
  return `There is no view "${name}"${place}.${guess}`;
}
