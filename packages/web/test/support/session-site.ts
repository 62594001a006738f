import { test } from "node:test";
import { type Context, defineModule, type Routes } from "@tenon/core";
import { createTestApp, FakeClock, type TestHttpApp, useClock } from "@tenon/core/testing";
import {
  redirect,
  type SessionOptions,
  sessionsModule,
  type ViewEngine,
  view,
  type WebOptions,
  WebSessions,
  web,
} from "@tenon/web";
import { LogLines } from "../../../core/test/support/log-lines.ts";
import type { Call } from "../../../core/test/support/transports.ts";
import { inDevelopment } from "../../../devtools/test/support/developer.ts";
import { Browser } from "./browser.ts";
import { Store, storeModule, WatchedStore } from "./watched-store.ts";

export const secret = "the secret of the tests, which is long enough";

/** What a page of the test site shows. */
export interface Shown {
  readonly view: string;
  readonly data: unknown;
  readonly flash: readonly { readonly kind: string; readonly text: string }[];
  readonly old: Readonly<Record<string, readonly string[]>>;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** Only of views whose name has "form" in it. */
  readonly token?: string;
}

const fields = ["title", "body", "password", "tags"];

/** Pages are JSON, so that tests need no HTML parser. */
const engine: ViewEngine = {
  has: (name) => !name.startsWith("errors/"),
  render: (name, { data, page }) =>
    JSON.stringify({
      view: name,
      data,
      flash: page.flash,
      old: Object.fromEntries(fields.map((field) => [field, page.oldAll(field)])),
      errors: page.errors,
      ...(name.includes("form") ? { token: page.csrfToken() } : {}),
    }),
};

export interface Site {
  readonly app: TestHttpApp;
  readonly call: Call;
  readonly store: WatchedStore;
  readonly log: LogLines;
  /** A browser that has never been here. */
  browser(): Browser;
  /** One that has seen a form, and the form's token. */
  visitor(): Promise<{ readonly browser: Browser; readonly token: string }>;
  /** Moves the site's clock, in seconds. */
  pass(seconds: number): void;
}

export interface SiteOptions {
  readonly routes?: Routes;
  readonly settings?: Partial<Omit<SessionOptions, "store">>;
  /** Shared with another site. Defaults to a new one. */
  readonly store?: WatchedStore;
  readonly platform?: Partial<WebOptions>;
}

/** Visits to a small site with sessions, through `app.fetch` and over a real socket. */
export function testOnSite(name: string, body: (site: Site) => Promise<void>, options: SiteOptions = {}): void {
  for (const transport of ["fetch", "socket"] as const) {
    test(`${name} (${transport})`, () => withSite(transport, body, options));
  }
}

export async function withSite(
  transport: "fetch" | "socket",
  body: (site: Site) => Promise<void>,
  { routes = [], settings = {}, platform = {}, store = new WatchedStore() }: SiteOptions = {},
): Promise<void> {
  const clock = new FakeClock();
  const log = new LogLines();
  class SiteController {
    routes(): Routes {
      return [...siteRoutes, ...routes];
    }
  }
  const module = defineModule({
    name: "site",
    imports: [sessionsModule(storeModule(store), { store: Store, secret, ...settings })],
    declarations: [SiteController],
  });
  const options = { views: engine, development: false, middlewares: [WebSessions], ...platform };
  const site = options.development ? inDevelopment(web(options)) : web(options);
  const app = await createTestApp(module, site, { log: log.options, override: [useClock(clock)] });
  try {
    const call = await openTransport(transport, app);
    const browser = () => new Browser(call);
    await body({
      app,
      call,
      store,
      log,
      browser,
      visitor: async () => {
        const visitor = browser();
        return { browser: visitor, token: shown(await visitor.get("/form")).token ?? "" };
      },
      pass: (seconds) => {
        clock.advance(seconds * 1000);
      },
    });
  } finally {
    await app.stop();
  }
}

async function openTransport(transport: "fetch" | "socket", app: TestHttpApp): Promise<Call> {
  if (transport === "fetch")
    return (method, path, init) => app.fetch(new Request(`${origin}${path}`, { ...init, method }));
  const { url } = await app.listen({ port: 0, signals: false });
  return (method, path, init) => fetch(`${url}${path}`, { ...init, method, redirect: "manual" });
}

/** The origin of the site in `app.fetch`. */
export const origin = "http://localhost";

export function shown({ text }: { readonly text: string }): Shown {
  return JSON.parse(text) as Shown; // as the engine writes it
}

/** The default name of the cookie. */
export const cookieName = "tenon_session";

/** Sends the form that its visitor has seen. */
export async function send(visitor: { readonly browser: Browser; readonly token: string }, query: string) {
  return visitor.browser.request("POST", `/change?${query}`, { form: { _csrf: visitor.token } });
}

/** What the session of this browser holds under a key; null for nothing. */
export async function readValue(browser: Browser, key: string): Promise<unknown> {
  return shown(await browser.get(`/values/${key}`)).data;
}

/** The messages on a page. */
export async function flashOf(browser: Browser, path = "/plain"): Promise<string[]> {
  return shown(await browser.get(path)).flash.map(({ text }) => text);
}

/** The site's cookie as the browser holds it. */
export function cookieOf(browser: Browser): string {
  return browser.cookies.get(cookieName) ?? "";
}

const siteRoutes: Routes = [
  { method: "GET", path: "/plain", handler: () => view("plain") },
  { method: "GET", path: "/form", handler: () => view("form") },
  { method: "GET", path: "/text", handler: (ctx) => ctx.status(200).send("text") },
  { method: "GET", path: "/go", handler: () => redirect("/plain") },
  { method: "GET", path: "/values/:key", handler: showValue },
  ...(["POST", "PUT", "PATCH", "DELETE"] as const).map((method) => ({ method, path: "/change", handler: change })),
];

async function showValue(ctx: Context<"/values/:key">) {
  return view("value", (await ctx.get("session").get(ctx.param("key"))) ?? null);
}

/** Changes the session as the query says. */
async function change(ctx: Context) {
  const session = ctx.get("session");
  if (ctx.query("regenerate") !== "") await session.regenerate();
  if (ctx.query("destroy") !== "") await session.destroy();
  if (ctx.query("set") !== "") await session.set(ctx.query("set"), ctx.query("value"));
  if (ctx.query("delete") !== "") await session.delete(ctx.query("delete"));
  if (ctx.query("flash") !== "") await session.flash("done", ctx.query("flash"));
  return ctx.query("throw") === "" ? redirect("/plain") : Promise.reject(new Error("thrown by the handler"));
}
