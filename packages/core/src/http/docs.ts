import { posix } from "node:path";
import type { Context } from "../context.ts";
import { describeValue } from "../errors.ts";
import type { DocsPage } from "../openapi/docs-page.ts";
import type { OpenApiDocument } from "../openapi/document.ts";
import { checkNames, namesOf, refuseOption } from "../options.ts";
import type { MiddlewareLike, Routes } from "../record.ts";
import { Reply } from "../reply.ts";

export interface DocsOptions {
  /** The path of the page. Defaults to `/docs`; false serves the document only. */
  readonly path?: string | false;
  /** The path of the document. Defaults to `/openapi.json`. */
  readonly document?: string;
  /** Guards of both, for an interface that is not public. Defaults to none. */
  readonly middlewares?: readonly MiddlewareLike[];
}

const optionNames = namesOf<DocsOptions>({ path: true, document: true, middlewares: true });

type ToDocument = () => Promise<OpenApiDocument>;

/** The routes of the docs page and of the document. The page is loaded when the application opens. */
export class Docs {
  readonly routes: Routes;
  /** Of the page; undefined where only the document is served. */
  readonly path: string | undefined;
  readonly #document: string;
  #toDocument: ToDocument | undefined;
  #page: DocsPage | undefined;
  /** The last document as text. */
  #text: { readonly of: OpenApiDocument; readonly json: string } | undefined;

  /** `taker` is the platform as a message names it: `api()`. */
  constructor(options: DocsOptions, taker: string) {
    checkNames(`docs of ${taker}`, options, optionNames);
    const { path = "/docs", document = "/openapi.json", middlewares = [] } = options;
    for (const [name, value] of Object.entries({ path: path || "/docs", document })) {
      if (typeof value === "string" && /^(?:\/[\w.-]+)+$/.test(value)) continue;
      refuseOption(`docs.${name} of ${taker} is ${describeValue(value)}. It takes a path, for example "/docs".`);
    }
    this.path = path === false ? undefined : path;
    this.#document = document;
    const pages: Routes =
      path === false
        ? []
        : [
            { method: "GET", path, middlewares, handler: (ctx) => this.#opened().serve(ctx) },
            { method: "GET", path: `${path}/*`, middlewares, handler: (ctx) => this.#opened().serveFile(ctx) },
          ];
    this.routes = [
      { method: "GET", path: document, middlewares, handler: (ctx) => this.#serveDocument(ctx) },
      ...pages,
    ];
  }

  async open(title: string, servers: readonly string[], toDocument: ToDocument): Promise<void> {
    this.#toDocument = toDocument;
    if (this.path === undefined) return;
    const { DocsPage } = await import("../openapi/docs-page.ts");
    const document = posix.relative(posix.dirname(this.path), this.#document);
    this.#page = new DocsPage({ title, path: this.path, document, servers });
  }

  #opened(): DocsPage {
    return this.#page as DocsPage; // open() comes before the first request
  }

  async #serveDocument(ctx: Context): Promise<Reply> {
    const document = await (this.#toDocument as ToDocument)(); // as above
    if (this.#text?.of !== document) this.#text = { of: document, json: `${JSON.stringify(document, null, 2)}\n` };
    ctx.response().setHeader("content-type", "application/json; charset=utf-8").setHeader("cache-control", "no-cache");
    return new Reply(200, "text", this.#text.json);
  }
}
