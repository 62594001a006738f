import { limitCaching, Sessions, sessionCookie } from "@tenon/auth";
import { type Context, inject, type Middleware, type Next } from "@tenon/core";
import type { StoredUser } from "./users.dto.ts";
import { UsersService } from "./users.service.ts";

declare module "@tenon/core" {
  interface ContextValues {
    /** Undefined when no user is logged in. Set by `CurrentUser`. */
    findUser: () => Promise<StoredUser | undefined>;
  }
}

/** Finds the logged-in user when a handler or a page asks: `await ctx.get("findUser")()`. For `web({ middlewares })`. */
export class CurrentUser implements Middleware {
  readonly #sessions = inject(Sessions);
  readonly #users = inject(UsersService);

  handle(ctx: Context, next: Next) {
    ctx.set("findUser", async () => {
      limitCaching(ctx, "Cookie", ctx.cookie(sessionCookie) !== "");
      const session = await this.#sessions.current(ctx);
      return session && this.#users.find(session.user_id);
    });
    return next();
  }
}

/** What every view reads as `page.shared`. */
export async function shareUser(ctx: Context) {
  const user = await ctx.get("findUser")?.(); // absent for a request that was rejected before the middlewares
  return { user: user && { id: user.id, email: user.email } };
}
