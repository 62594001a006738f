import type { Context, Middleware, Next } from "@tenon/core";
import { inject, type Problem, StartError, token } from "@tenon/core";
import { checkNames, describeValue, isToken, namesOf, serializeCookie } from "@tenon/core/platform";
import { CsrfTokens, checkCsrf, needsCsrfCheck } from "./csrf.ts";
import { Session } from "./session.ts";
import { SessionCookie } from "./session-cookie.ts";
import { SessionIdentity } from "./session-identity.ts";
import { SessionRecords, type SessionStore } from "./session-records.ts";

declare module "@tenon/core" {
  interface ContextValues {
    /** Set by `WebSessions`. */
    session: Session;
  }
}

export interface WebSessionSettings {
  readonly store: SessionStore;
  /** At least 32 bytes that nobody else knows: signs the cookies and makes the tokens of forms. */
  readonly secret: string;
  /** Its name: `tenon_session` unless told otherwise. */
  readonly cookie?: string;
  /** Seconds that a session is kept after it was last of use: 86,400 unless told otherwise. */
  readonly maxAge?: number;
  /** Refuses forms that do not come from a page of this application. True unless told otherwise. */
  readonly csrf?: boolean;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** `provide(WebSessionSettings, () => ({ store: inject(KeyValue), secret }))` in the module that the application starts with. */
export const WebSessionSettings = token<WebSessionSettings>("WebSessionSettings");

/** Gives every request its session, `ctx.get("session")`, and refuses forms of other sites. For `web({ middlewares })`. */
export class WebSessions implements Middleware {
  readonly #cookie: SessionCookie;
  readonly #records: SessionRecords;
  readonly #tokens: CsrfTokens;
  readonly #csrf: boolean;
  readonly #now: () => number;

  constructor() {
    const settings = inject(WebSessionSettings);
    checkSettings(settings);
    const { store, secret, cookie = "tenon_session", maxAge = 86_400, csrf = true, now = Date.now } = settings;
    this.#cookie = new SessionCookie(cookie, maxAge, secret);
    this.#records = new SessionRecords(store, maxAge, now);
    this.#tokens = new CsrfTokens(secret);
    this.#csrf = csrf;
    this.#now = now;
  }

  handle(ctx: Context, next: Next): unknown {
    if (ctx.get("session") instanceof Session) return next(); // listed twice, the second bag would hide the first
    const sent = ctx.cookie(this.#cookie.name);
    const identity = new SessionIdentity(this.#cookie, sent, this.#now());
    const session = new Session({
      identity,
      records: this.#records,
      tokens: this.#tokens,
      peek: ctx.method === "HEAD",
    });
    ctx.set("session", session);
    this.#sendCookie(ctx, session, sent !== "");
    if (!this.#csrf || !needsCsrfCheck(ctx)) return next();
    return checkCsrf(ctx, { identity, session }).then(() => next());
  }

  /** With the reply itself and not before: an error reply drops the headers that were set until then. */
  #sendCookie(ctx: Context, session: Session, isKnown: boolean): void {
    ctx.onReply(({ headers }) => {
      const { cookie, isUnsaved } = session.close();
      if (isUnsaved) {
        ctx.log.warn("the session was changed and nobody saved it: WebSessions works on the platform web()");
      }
      if (cookie !== undefined) {
        const secure = ctx.request().protocol() === "https";
        const maxAge = cookie === "" ? 0 : this.#cookie.maxAge;
        headers.addHeader("set-cookie", serializeCookie(this.#cookie.name, cookie, { secure, maxAge }));
      }
      const isPrivate = isKnown || cookie !== undefined;
      if (isPrivate && !headers.has("cache-control")) headers.setHeader("cache-control", "no-store");
    });
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
const longestAge = 400 * 86_400; // browsers cut a longer one

function checkSettings(settings: WebSessionSettings): void {
  checkNames("WebSessionSettings", settings, settingNames);
  const { store, secret, cookie = "tenon_session", maxAge = 86_400, csrf = true, now = Date.now } = settings;
  const faults = [
    isStore(store) || `store is ${describeValue(store)}. It takes a key-value store: store: inject(KeyValue).`,
    secretFault(secret),
    cookieFault(cookie),
    (Number.isSafeInteger(maxAge) && maxAge >= 1 && maxAge <= longestAge) ||
      `maxAge is ${String(maxAge)}. It takes a whole number of seconds from 1 to ${longestAge}.`,
    typeof csrf === "boolean" || `csrf is ${describeValue(csrf)}. It takes true or false.`,
    typeof now === "function" || `now is ${describeValue(now)}. It takes a function that gives milliseconds.`,
  ].filter((fault) => typeof fault === "string");
  const problems = faults.map((fault): Problem => ({ code: "BAD_OPTION", message: `WebSessionSettings ${fault}` }));
  if (problems.length > 0) throw new StartError(problems);
}

function isStore(store: unknown): boolean {
  if (typeof store !== "object" || store === null) return false;
  return ["get", "set", "delete"].every((name) => typeof (store as Record<string, unknown>)[name] === "function"); // any object can be read by name
}

/** Never quotes it. */
function secretFault(secret: unknown): string | undefined {
  if (typeof secret !== "string") return `secret is not a text. ${secretCure}`;
  const bytes = Buffer.byteLength(secret);
  return bytes < leastSecret ? `secret has ${bytes} bytes. ${secretCure}` : undefined;
}

const secretCure = `It takes at least ${leastSecret} random bytes, the same on every instance and after a restart: for example what "openssl rand -base64 32" prints.`;

function cookieFault(cookie: unknown): string | undefined {
  if (typeof cookie !== "string" || !isToken(cookie)) {
    return `cookie is ${describeValue(cookie)}. It takes a cookie's name: letters, digits, "_", "-" and "."`;
  }
  if (cookie !== "session_id") return undefined;
  return 'cookie is "session_id", where Sessions of @tenon/auth keeps who is logged in. Take another name.';
}
