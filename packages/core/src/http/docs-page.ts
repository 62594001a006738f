import { createRequire } from "node:module";
import { dirname, posix } from "node:path";
import { pathToFileURL } from "node:url";
import { ServedFolder } from "../middleware/served-folder.ts";
import type { Context } from "../request/context.ts";
import { Reply } from "../request/reply.ts";
import { HttpError } from "../support/errors.ts";
import { refuseOption } from "../support/options.ts";
import { script, styles } from "./docs-script.ts";

export interface DocsPageOptions {
  readonly title: string;
  /** Where the page is served: `/docs`. */
  readonly path: string;
  /** The document, relative to the page. */
  readonly document: string;
  /** The addresses to which the page may send requests, in addition to its own. */
  readonly servers: readonly string[];
}

const renderer = "swagger-ui-dist";
/** What the page needs from the renderer. The rest of its package, such as source maps, is not served. */
const rendererFiles = new Set(["swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png"]);

/** Shows the OpenAPI document with Swagger UI. Every file comes from this application. */
export class DocsPage {
  readonly #html: string;
  readonly #policy: string;
  readonly #path: string;
  readonly #folder: ServedFolder;

  constructor({ title, path, document, servers }: DocsPageOptions) {
    this.#path = path;
    this.#folder = new ServedFolder(renderer, findRenderer());
    this.#html = toHtml(title, posix.basename(path), document);
    const origins = servers.filter((url) => URL.canParse(url)).map((url) => ` ${new URL(url).origin}`);
    this.#policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
      `connect-src 'self'${origins.join("")}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`;
  }

  serve(ctx: Context): Reply {
    // set here, so that secureHeaders() keeps it: its own policy is for data and would block the page
    return sendText(ctx, "text/html", this.#html, this.#policy);
  }

  async serveFile(ctx: Context): Promise<Reply> {
    const name = ctx.rest().join("/");
    if (name === "docs.js") return sendText(ctx, "text/javascript", script);
    if (name === "docs.css") return sendText(ctx, "text/css", styles);
    if (name === "") return ctx.redirect(this.#path);
    const isKnown = rendererFiles.has(name);
    const reply = isKnown ? await this.#folder.serve(ctx, ctx.rest(), () => ({ maxAge: 3600 })) : undefined;
    if (reply === undefined) throw new HttpError(404, "Not Found");
    return reply;
  }
}

function sendText(ctx: Context, type: string, text: string, policy?: string): Reply {
  const headers = ctx.response().setHeader("content-type", `${type}; charset=utf-8`);
  headers.setHeader("cache-control", "no-cache").setHeader("x-content-type-options", "nosniff");
  if (policy !== undefined) headers.setHeader("content-security-policy", policy);
  return new Reply(200, "text", text);
}

/** The folder of the renderer, as the application has installed it. */
export function findRenderer(folder = process.cwd()): string {
  try {
    return dirname(createRequire(pathToFileURL(`${folder}/`)).resolve(`${renderer}/package.json`));
  } catch {
    return refuseOption(
      `The docs page needs ${renderer}, which is not installed: npm install ${renderer}. Without it, docs: { path: false } serves the document only.`,
    );
  }
}

function toHtml(title: string, folder: string, document: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/png" href="${folder}/favicon-32x32.png">
<link rel="stylesheet" href="${folder}/swagger-ui.css">
<link rel="stylesheet" href="${folder}/docs.css">
<script src="${folder}/swagger-ui-bundle.js" defer></script>
<script src="${folder}/docs.js" defer></script>
</head>
<body>
<main id="docs" data-document="${escapeHtml(document)}"></main>
<noscript>This page needs JavaScript. The document itself is <a href="${escapeHtml(document)}">here</a>.</noscript>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
