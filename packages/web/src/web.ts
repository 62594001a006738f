import type { Context, HttpMethods, MiddlewareFunction, MiddlewareLike, Platform, RequestView } from "@tenon/core";
import { accessLog, requestId, type SecureHeadersOptions, secureHeaders } from "@tenon/core/middleware";
import {
  type ContextTools,
  checkNames,
  describeValue,
  type HttpOptions,
  type Input,
  isForm,
  namesOf,
  openHttp,
  type RequestLimits,
  readEnvironment,
  readJsonInput,
  refuseOption,
  toHttpSettings,
} from "@tenon/core/platform";
import { createAssets } from "./assets.ts";
import { csrfField } from "./csrf.ts";
import { ErrorPages } from "./error-page.ts";
import { createEtaEngine } from "./eta-engine.ts";
import { LiveReload } from "./live-reload.ts";
import { overrideMethods } from "./method-override.ts";
import { Pages } from "./pages.ts";
import { Renderer } from "./renderer.ts";
import type { Serializer } from "./view.ts";
import type { ViewEngine } from "./view-engine.ts";

export interface WebOptions extends HttpOptions {
  /** A folder of views in Eta, or another engine. */
  readonly views: string | URL | ViewEngine;
  /** A folder whose files are served below `/assets/`. */
  readonly assets?: string | URL | AssetsFolder;
  /** The application's middlewares. Defaults to `[requestId(), accessLog(), pageHeaders()]`. */
  readonly middlewares?: readonly MiddlewareLike[];
  /** Turns the data of handlers into replies, before the default rules apply. */
  readonly serializer?: Serializer;
  /** What every view reads as `page.shared`: the current user, the size of the cart. */
  readonly share?: (ctx: Context) => object | Promise<object>;
  /** Other hosts that `redirect()` may lead to, as `host` or `host:port`. */
  readonly redirects?: readonly string[];
  /** Shows the cause of errors to requests of this machine, and rereads views. Defaults to true unless NODE_ENV is `production`. */
  readonly development?: boolean;
}

export interface AssetsFolder {
  readonly folder: string | URL;
  /** Names with a hash that is not recognised, such as Vite's: browsers cache them for a year. */
  readonly immutable?: RegExp;
}

const optionNames = namesOf<WebOptions>({
  views: true,
  assets: true,
  middlewares: true,
  serializer: true,
  share: true,
  redirects: true,
  development: true,
  limits: true,
  trustedProxies: true,
  singleHeaders: true,
  upgrade: true,
  engine: true,
  errors: true,
  openapi: true,
  docs: true,
});

const assetsNames = namesOf<AssetsFolder>({ folder: true, immutable: true });

/** Pages over HTTP: serves the routes that have a method, and renders what their handlers return. */
export function web(options: WebOptions): Platform<HttpMethods> {
  checkOptions(options);
  const { middlewares = [requestId(), accessLog(), pageHeaders()], views, redirects = [], serializer, share } = options;
  const environment = readEnvironment();
  const development = options.development ?? !environment.production;
  const { folder, immutable } = toAssetsFolder(options.assets) ?? {};
  const assets = folder === undefined ? undefined : createAssets(folder, { immutable, development });
  const settings = toHttpSettings(options, "web()");
  let pages: Pages;
  return {
    name: "web",
    middlewares,
    routes: [...(assets?.routes ?? []), ...(settings.docs?.routes ?? [])],
    limits: settings.limits,
    errors: settings.errors,
    serves: (route) => route.method !== undefined,
    serialize: (reply, ctx) => pages.serialize(reply, ctx),
    fail: (error, ctx) => pages.fail(error, ctx),
    readInput: (incoming, request) => readInput(incoming, request, settings.limits),
    readForm: (_, request) => readForm(request),
    async open(parts) {
      const engine = isEngine(views)
        ? views
        : await createEtaEngine(views, development, (text) => parts.log.warn(text));
      const renderer = new Renderer({ engine, share, assetUrl: assets?.url });
      const errors = new ErrorPages({
        renderer,
        development,
        limits: settings.limits,
        routes: () => parts.routes.list(),
        editor: environment.editor,
      });
      const format = settings.errors;
      const reload = development && environment.dev !== undefined ? new LiveReload() : undefined;
      pages = new Pages({ renderer, errors, serializer, redirects: new Set(redirects), development, format, reload });
      if (development && environment.dev !== "restart") {
        parts.log.info(
          "errors are shown with their source to requests of this machine, because NODE_ENV is not production",
        );
      }
      const kernel = overrideMethods(parts.kernel);
      return openHttp({ ...parts, kernel: reload?.wrap(kernel) ?? kernel }, settings);
    },
  };
}

const forPages: SecureHeadersOptions = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  // a failed form redirects to its page, which is known from the Referer only
  "referrer-policy": "same-origin",
};

/** `secureHeaders()` for pages: scripts, styles and images from this site only, nothing inline, no frames around it. */
export function pageHeaders(options: SecureHeadersOptions = {}): MiddlewareFunction {
  return secureHeaders({ ...forPages, ...options });
}

type ReadInput = ContextTools["readInput"];

/** Reads forms and JSON. `api()` reads no forms: any site can make a browser send one, and only this platform checks. */
async function readInput(...[incoming, request, limits]: [...Parameters<ReadInput>, RequestLimits]): Promise<Input> {
  return isForm(incoming.header("content-type") ?? "") ? readForm(request) : readJsonInput(incoming, request, limits);
}

async function readForm(request: RequestView): Promise<Input> {
  const value = (await request.form()).toInput();
  delete value[csrfField]; // a strict schema would refuse it
  return { value, fromText: true, fromForm: true };
}

function toAssetsFolder(assets: WebOptions["assets"]): AssetsFolder | undefined {
  return typeof assets === "string" || assets instanceof URL ? { folder: assets } : assets;
}

function isEngine(views: unknown): views is ViewEngine {
  if (typeof views !== "object" || views === null || !("has" in views && "render" in views)) return false;
  return typeof views.has === "function" && typeof views.render === "function";
}

function checkOptions(options: WebOptions): void {
  checkNames("web()", options, optionNames);
  const { views, assets, middlewares = [], serializer, share, redirects = [], development } = options;
  const refuse = (name: string, value: unknown, cure: string) =>
    refuseOption(`${name} of web() is ${describeValue(value)}. ${cure}`);
  if (!isFolder(views) && !isEngine(views)) {
    refuse("views", views, "It takes a folder, as a path or a file URL, or an object with has() and render().");
  }
  if (typeof assets === "object" && assets !== null && "folder" in assets) {
    checkNames("assets of web()", assets, assetsNames);
  }
  if (assets !== undefined && !isFolder(toAssetsFolder(assets)?.folder)) {
    refuse("assets", assets, "It takes a folder, as a path or a file URL, or { folder, immutable }.");
  }
  if (!Array.isArray(middlewares)) refuse("middlewares", middlewares, "Write a list: middlewares: [ … ].");
  for (const [name, value] of Object.entries({ serializer, share })) {
    if (value !== undefined && typeof value !== "function") refuse(name, value, "It takes a function.");
  }
  if (development !== undefined && typeof development !== "boolean") {
    refuse("development", development, "It takes true or false.");
  }
  if (!Array.isArray(redirects)) refuse("redirects", redirects, "Write a list: redirects: [ … ].");
  for (const host of redirects) {
    if (!isHost(host)) refuse("redirects", host, 'It takes hosts, without a scheme or a path: "example.com".');
  }
}

function isFolder(value: unknown): value is string | URL {
  return (typeof value === "string" && value !== "") || (value instanceof URL && value.protocol === "file:");
}

/** In the spelling of `URL.host`: any other spelling would never match. */
function isHost(value: unknown): boolean {
  return typeof value === "string" && URL.canParse(`https://${value}`) && new URL(`https://${value}`).host === value;
}
