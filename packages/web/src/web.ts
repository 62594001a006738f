import type { Context, HttpApp, MiddlewareLike, Platform } from "@tenon/core";
import {
  type Injectable,
  isForm,
  type OptionTable,
  readEnvironment,
  resolveOptions,
  takes,
  toHttpSettings,
} from "@tenon/core/internal";
import { accessLog, requestId, secureHeaders } from "@tenon/core/middleware";
import { type HttpOptions, openHttp, type ResolvedPlatform } from "@tenon/core/platform";
import { createAssets } from "./assets/assets.ts";
import { ErrorPages } from "./errors/error-page.ts";
import { LiveReload } from "./live-reload.ts";
import { overrideMethods } from "./method-override.ts";
import { Pages } from "./pages.ts";
import { csrfField } from "./sessions/csrf.ts";
import { createEtaEngine } from "./views/eta-engine.ts";
import { Renderer } from "./views/renderer.ts";
import type { Serializer } from "./views/view.ts";
import type { ViewEngine } from "./views/view-engine.ts";

interface PlainOptions extends HttpOptions {
  /** A folder of views in Eta, or another engine. */
  readonly views: string | URL | ViewEngine;
  /** A folder whose files are served below `/assets/`. */
  readonly assets?: string | URL | AssetsFolder;
  /** The application's middlewares. Defaults to `[requestId(), accessLog(), secureHeaders()]`. */
  readonly middlewares?: readonly MiddlewareLike[];
  /** Turns the data of handlers into replies, before the default rules apply. */
  readonly serializer?: Serializer;
  /** What every view reads as `page.shared`: the current user, the size of the cart. */
  readonly share?: (ctx: Context) => object | Promise<object>;
  /** Other hosts that `redirect()` may lead to, as `host` or `host:port`. */
  readonly redirects?: readonly string[];
  /** Rereads views, and shows the cause of errors to the developer. Defaults to true unless NODE_ENV is `production`. */
  readonly development?: boolean;
}

/** Each option but `serializer` and `share` is a value, or a function that returns it and may `inject()` what the root module sees. */
export interface WebOptions extends Injectable<PlainOptions, "serializer" | "share"> {}

export interface AssetsFolder {
  readonly folder: string | URL;
  /** Names with a hash that is not recognised, such as Vite's: browsers cache them for a year. */
  readonly immutable?: RegExp;
}

const optionTable: OptionTable<Omit<PlainOptions, keyof HttpOptions>> = {
  views: true,
  assets: { folder: true, immutable: true },
  middlewares: true,
  serializer: true,
  share: true,
  redirects: takes.listOf(isHost, 'It takes hosts, without a scheme or a path: ["example.com"].'),
  development: true,
};

/** Pages over HTTP: serves the routes that have a method, and renders what their handlers return. */
export function web(options: WebOptions): Platform<HttpApp> {
  return {
    name: "web",
    resolve: () => resolveWeb(resolveOptions<PlainOptions, "serializer" | "share">(options, ["serializer", "share"])),
  };
}

function resolveWeb(options: PlainOptions): ResolvedPlatform<HttpApp> {
  const settings = toHttpSettings("web()", options, optionTable);
  const {
    middlewares = [requestId(), accessLog(), secureHeaders()],
    views,
    redirects = [],
    serializer,
    share,
  } = options;
  const environment = readEnvironment(undefined, undefined, []); // createApp() reports what is wrong with it
  const development = options.development ?? !environment.production;
  const { folder, immutable } = toAssetsFolder(options.assets) ?? {};
  const assets = folder === undefined ? undefined : createAssets(folder, { immutable, development });
  let pages: Pages;
  return {
    middlewares,
    routes: [...(assets?.routes ?? []), ...(settings.docs?.routes ?? [])],
    limits: settings.limits,
    errors: settings.errors,
    serves: (route) => route.method !== undefined,
    serialize: (reply, ctx) => pages.serialize(reply, ctx),
    fail: (error, ctx) => pages.fail(error, ctx),
    readInput: (incoming, request) => (isForm(incoming.header("content-type") ?? "") ? readForm(request) : undefined),
    readForm: (_, request) => readForm(request),
    async open(parts) {
      const engine = isEngine(views)
        ? views
        : await createEtaEngine(views, development, { warn: (text) => parts.log.warn(text) });
      const renderer = new Renderer({ engine, share, assetUrl: assets?.url });
      const devtools = development ? parts.devtools : undefined;
      const errors = new ErrorPages({
        renderer,
        devtools,
        limits: settings.limits,
      });
      const format = settings.errors;
      const reload = devtools === undefined ? undefined : new LiveReload(devtools);
      pages = new Pages({ renderer, errors, serializer, redirects: new Set(redirects), development, format, reload });
      const kernel = overrideMethods(parts.kernel);
      return openHttp({ ...parts, kernel: reload?.wrap(kernel) ?? kernel }, { ...settings, readsForms: true });
    },
  };
}

type RequestView = Parameters<NonNullable<ResolvedPlatform<HttpApp>["readInput"]>>[1];

/** `api()` reads no forms: any site can make a browser send one, and only this platform checks. */
async function readForm(request: RequestView) {
  const value = (await request.form()).toInput();
  delete value[csrfField]; // a strict schema would refuse it
  return { value, fromText: true, fromForm: true };
}

function toAssetsFolder(assets: PlainOptions["assets"]): AssetsFolder | undefined {
  return typeof assets === "string" || assets instanceof URL ? { folder: assets } : assets;
}

function isEngine(views: unknown): views is ViewEngine {
  if (typeof views !== "object" || views === null || !("has" in views && "render" in views)) return false;
  return typeof views.has === "function" && typeof views.render === "function";
}

/** In the spelling of `URL.host`: any other spelling would never match. */
function isHost(value: unknown): boolean {
  return typeof value === "string" && URL.canParse(`https://${value}`) && new URL(`https://${value}`).host === value;
}
