import { limitCaching, Sessions, sessionCookie } from "@tenon/auth";
import { type Context, inject, type Middleware, type Next } from "@tenon/core";
import { toUser, type User } from "../users/user.ts";
import { UsersService } from "../users/users.service.ts";

/** The user of a request, loaded at most once and only when used: not for static files. */
export class Visitor {
  readonly #find: () => Promise<User | undefined>;
  #user: Promise<User | undefined> | undefined;

  constructor(find: () => Promise<User | undefined>) {
    this.#find = find;
  }

  /** Whether the response may depend on the user. */
  get wasRead(): boolean {
    return this.#user !== undefined;
  }

  /** Undefined when no user is logged in. */
  user(): Promise<User | undefined> {
    this.#user ??= this.#find();
    return this.#user;
  }
}

declare module "@tenon/core" {
  interface ContextValues {
    visitor: Visitor;
  }
}

/** Sets `visitor` from the session cookie, which the API uses too. */
export class CurrentUser implements Middleware {
  readonly #sessions = inject(Sessions);
  readonly #users = inject(UsersService);

  handle(ctx: Context, next: Next) {
    const visitor = new Visitor(() => {
      limitCaching(ctx, "Cookie", ctx.cookie(sessionCookie) !== "");
      return this.#find(ctx);
    });
    ctx.set("visitor", visitor);
    ctx.onReply(({ headers }) => {
      // a guest who logs in must not see a stored page again
      if (visitor.wasRead && !headers.has("cache-control")) headers.setHeader("cache-control", "no-cache");
    });
    return next();
  }

  async #find(ctx: Context): Promise<User | undefined> {
    const session = await this.#sessions.current(ctx);
    const user = session && (await this.#users.find(session.user_id));
    return user && toUser(user);
  }
}
