import {
  type Context,
  inject,
  type Middleware,
  type MiddlewareContract,
  type Next,
  type Problem,
  type ResponseHeaders,
  StartError,
  token,
} from "@tenon/core";
import { checkNames, describeValue, isToken, namesOf, serializeCookie } from "@tenon/core/platform";
import { checkCsrf, csrfContract, needsCsrfCheck } from "./csrf.ts";
import { Session, type SessionParts } from "./session.ts";
import { SessionRecords, type SessionStore } from "./session-store.ts";
import { CsrfTokens, SessionCookie } from "./session-tokens.ts";

declare module "@tenon/core" {
  interface ContextValues {
    /** Set by `WebSessions`. */
    session: Session;
  }
}

export interface WebSessionSettings {
  readonly store: SessionStore;
  /** At least 32 secret bytes: signs the cookies and the tokens of forms. */
  readonly secret: string;
  /** The name of the cookie. Defaults to `tenon_session`. */
  readonly cookie?: string;
  /** Seconds that a session is kept after its last use. Defaults to 86,400. */
  readonly maxAge?: number;
  /** Refuses forms that do not come from a page of this application. Defaults to true. */
  readonly csrf?: boolean;
  /** Milliseconds since 1970. Defaults to `Date.now`. */
  readonly now?: () => number;
}

/** `provide(WebSessionSettings, () => ({ store: inject(KeyValue), secret }))` in the module that the application starts with. */
export const WebSessionSettings = token<WebSessionSettings>("WebSessionSettings");

/** Gives every request its session, `ctx.get("session")`, and refuses forms of other sites. For `web({ middlewares })`. */
export class WebSessions implements Middleware {
  readonly #parts: SessionParts;
  readonly #csrf: boolean;
  readonly contract: MiddlewareContract;

  constructor() {
    const { store, secret, cookie, maxAge, csrf, now } = toSettings(inject(WebSessionSettings));
    this.#csrf = csrf;
    this.contract = csrf ? csrfContract : {};
    this.#parts = {
      cookie: new SessionCookie(cookie, maxAge, secret),
      records: new SessionRecords(store, maxAge, now),
      tokens: new CsrfTokens(secret),
      now,
    };
  }

  handle(ctx: Context, next: Next): unknown {
    if (Session.of(ctx) !== undefined) return next(); // listed twice, a second session would hide the first
    const session = new Session(this.#parts, ctx);
    ctx.set("session", session);
    // with the response itself and not before: an error response drops the headers that were set until then
    ctx.onReply(({ headers }) => this.#sendCookie(ctx, session, headers));
    if (!this.#csrf || !needsCsrfCheck(ctx)) return next();
    return checkCsrf(ctx, session, this.#parts.tokens).then(() => next());
  }

  #sendCookie(ctx: Context, session: Session, headers: ResponseHeaders): void {
    const { name, maxAge } = this.#parts.cookie;
    const { cookie, isUnsaved } = Session.close(session);
    if (isUnsaved) ctx.log.warn("the session was changed and not saved: WebSessions works on the platform web() only");
    const others = headers.header("set-cookie").split(", ");
    if (others.some((line) => line.startsWith(`${name}=`))) {
      ctx.log.warn(`the cookie ${name} is set by the application too: give one of the two another name`);
    }
    if (cookie !== undefined) {
      const secure = ctx.request().protocol() === "https";
      const options = { secure, maxAge: cookie === "" ? 0 : maxAge };
      headers.addHeader("set-cookie", serializeCookie(name, cookie, options));
    }
    const isPrivate = cookie !== undefined || ctx.cookie(name) !== "";
    if (isPrivate && !headers.has("cache-control")) headers.setHeader("cache-control", "no-store");
  }
}

const settingNames = namesOf<WebSessionSettings>({
  store: true,
  secret: true,
  cookie: true,
  maxAge: true,
  csrf: true,
  now: true,
});
const leastSecret = 32;
const longestAge = 400 * 86_400; // browsers shorten a longer one

function toSettings(given: WebSessionSettings): Required<WebSessionSettings> {
  checkNames("WebSessionSettings", given, settingNames);
  const { store, secret, cookie = "tenon_session", maxAge = 86_400, csrf = true, now = Date.now } = given;
  const bytes = typeof secret === "string" ? Buffer.byteLength(secret) : undefined;
  const isAge = Number.isSafeInteger(maxAge) && maxAge >= 1 && maxAge <= longestAge;
  const checks: readonly (readonly [isValid: boolean, fault: string])[] = [
    [isStore(store), `store is ${describeValue(store)}. It takes a key-value store: store: inject(KeyValue).`],
    [
      bytes !== undefined && bytes >= leastSecret, // the message never quotes it
      `secret ${bytes === undefined ? "is not a text" : `has ${bytes} bytes`}. It takes at least ${leastSecret} random bytes, the same on every instance and after a restart: for example what "openssl rand -base64 32" prints.`,
    ],
    [
      typeof cookie === "string" && isToken(cookie),
      `cookie is ${describeValue(cookie)}. It takes a cookie's name: letters, digits, "_", "-" and "."`,
    ],
    [isAge, `maxAge is ${String(maxAge)}. It takes a whole number of seconds from 1 to ${longestAge}.`],
    [typeof csrf === "boolean", `csrf is ${describeValue(csrf)}. It takes true or false.`],
    [typeof now === "function", `now is ${describeValue(now)}. It takes a function that gives milliseconds.`],
  ];
  const problems = checks
    .filter(([isValid]) => !isValid)
    .map(([, fault]): Problem => ({ code: "BAD_OPTION", message: `WebSessionSettings ${fault}` }));
  if (problems.length > 0) throw new StartError(problems);
  return { store, secret, cookie, maxAge, csrf, now };
}

function isStore(store: unknown): boolean {
  if (typeof store !== "object" || store === null) return false;
  return ["get", "set", "delete"].every((name) => typeof (store as Record<string, unknown>)[name] === "function"); // any object can be read by name
}
