import { type Context, group, HttpError, inject, routes } from "@tenon/core";
import { bodyLimit } from "@tenon/core/middleware";
import { toUser } from "../users/user.ts";
import { LoginDTO, maxAuthBody, RegisterDTO } from "./auth.dto.ts";
import { AuthService } from "./auth.service.ts";
import { noStore } from "./no-store.ts";

/** The blog tutorial's variant: other messages, and only registration and login. */
export class TutorialAuthController {
  readonly #auth = inject(AuthService);

  routes() {
    return routes([
      group(
        "/auth",
        [
          { method: "POST", path: "/register", handler: this.register },
          { method: "POST", path: "/login", handler: this.login },
        ],
        { middlewares: [bodyLimit(maxAuthBody), noStore] },
      ),
    ]);
  }

  async register(ctx: Context) {
    const input = await ctx.bind(RegisterDTO);
    try {
      const user = await this.#auth.register(input);
      if (user === undefined) return ctx.status(400).json({ error: "email already registered" });
      return ctx.status(201).json(toUser(user));
    } catch (error) {
      // a store failure is a 400 here, with the message of the cause; logged here, because the kernel logs nothing below 500
      if (error instanceof HttpError && error.cause instanceof HttpError) {
        ctx.log.error({ err: error }, "the user could not be created");
        return ctx.status(400).json({ error: error.cause.message });
      }
      throw error;
    }
  }

  async login(ctx: Context) {
    const user = await this.#auth.login(await ctx.bind(LoginDTO), ctx);
    if (user === undefined) return ctx.status(401).json({ error: "invalid credentials" });
    return { token: await this.#auth.issueToken(user) };
  }
}
