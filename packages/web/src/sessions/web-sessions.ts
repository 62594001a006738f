import { Clock, type Context, inject, type Middleware, type MiddlewareContract, type Next } from "@tenon/core";
import { checkCsrf, csrfContract, needsCsrfCheck } from "./csrf.ts";
import { CsrfTokens } from "./csrf-tokens.ts";
import { Session, type SessionParts } from "./session.ts";
import { SessionCookie } from "./session-cookie.ts";
import { SessionRecords } from "./session-records.ts";
import { SessionSettings } from "./settings.ts";

declare module "@tenon/core" {
  interface ContextValues {
    /** Set by `WebSessions`. */
    session: Session;
  }
}

/** Gives every request its session, `ctx.get("session")`, and refuses forms of other sites. For `web({ middlewares })`. */
export class WebSessions implements Middleware {
  readonly #parts: SessionParts;
  readonly #csrf: boolean;
  readonly contract: MiddlewareContract;

  constructor() {
    const { store, secret, cookie, csrf, ...ages } = inject(SessionSettings);
    const clock = inject(Clock);
    this.#csrf = csrf;
    this.contract = csrf ? csrfContract : {};
    this.#parts = {
      cookie: new SessionCookie(cookie, ages, secret),
      records: new SessionRecords(inject(store), ages.maxAge, clock),
      tokens: new CsrfTokens(secret),
      clock,
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

  #sendCookie(ctx: Context, session: Session, headers: ReturnType<Context["response"]>): void {
    const name = this.#parts.cookie.nameFor(ctx);
    const { cookie, isUnsaved } = Session.close(session);
    if (isUnsaved) ctx.log.warn("the session was changed and not saved: WebSessions works on the platform web() only");
    const others = headers.header("set-cookie").split(", ");
    if (others.some((line) => line.startsWith(`${name}=`))) {
      ctx.log.warn(`the cookie ${name} is set by the application too: give one of the two another name`);
    }
    if (cookie !== undefined) headers.addHeader("set-cookie", this.#parts.cookie.serialize(cookie, ctx));
    const isPrivate = cookie !== undefined || ctx.cookie(name) !== "";
    if (isPrivate && !headers.has("cache-control")) headers.setHeader("cache-control", "no-store");
  }
}
