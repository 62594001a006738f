import { posix } from "node:path";
import type { OpenApiDocument } from "../openapi/document.ts";
import type { Context } from "../request/context.ts";
import type { MiddlewareLike } from "../request/handler.ts";
import { Reply } from "../request/reply.ts";
import { type Routes, route } from "../route/route.ts";
import type { DocsPage } from "./docs-page.ts";

export interface DocsOptions {
  /** The path of the page. Defaults to `/docs`; false serves the document only. */
  readonly path?: string | false;
  /** The path of the document. Defaults to `/openapi.json`. */
  readonly document?: string;
  /** Serves both to everyone, also outside development. Defaults to false. */
  readonly public?: boolean;
  /** Middlewares of both, which are then served outside development too. Defaults to none. */
  readonly middlewares?: readonly MiddlewareLike[];
}

type ToDocument = () => Promise<OpenApiDocument>;

/** The routes of the docs page and of the document. The page is loaded when the application opens. */
export class Docs {
  readonly routes: Routes;
  /** The path of the page; undefined when only the document is served. */
  readonly path: string | undefined;
  readonly #document: string;
  #toDocument: ToDocument | undefined;
  #page: DocsPage | undefined;

  constructor(options: DocsOptions) {
    const { path = "/docs", document = "/openapi.json", middlewares = [] } = options;
    this.path = path === false ? undefined : path;
    this.#document = document;
    const contract = { hidden: true, middlewares };
    const showPage = (ctx: Context) => this.#page?.serve(ctx); // load() comes before the first request
    const sendFile = (ctx: Context) => this.#page?.serveFile(ctx);
    const sendDocument = (ctx: Context) => this.#serveDocument(ctx);
    this.routes = [
      route.get(document, contract, sendDocument),
      ...(path === false ? [] : [route.get(path, contract, showPage), route.get(`${path}/*`, contract, sendFile)]),
    ];
  }

  async load(title: string, servers: readonly string[], toDocument: ToDocument): Promise<void> {
    this.#toDocument = toDocument;
    if (this.path === undefined) return;
    const { DocsPage } = await import("./docs-page.ts");
    const document = posix.relative(posix.dirname(this.path), this.#document);
    this.#page = new DocsPage({ title, path: this.path, document, servers });
  }

  async #serveDocument(ctx: Context): Promise<Reply> {
    const document = await this.#toDocument?.();
    ctx.response().setHeader("content-type", "application/json; charset=utf-8").setHeader("cache-control", "no-cache");
    return new Reply(200, "text", `${JSON.stringify(document, null, 2)}\n`);
  }
}
