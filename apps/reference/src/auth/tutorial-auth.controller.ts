import { endpoint, group, HttpError, inject, routes } from "@tenon/core";
import { bodyLimit } from "@tenon/core/middleware";
import { storeFailures } from "../database/store-failures.ts";
import { User } from "../users/users.dto.ts";
import { LoginDTO, maxAuthBody, RegisterDTO, Token } from "./auth.dto.ts";
import { busy, loginRefused, notIssued } from "./auth.errors.ts";
import { AuthService } from "./auth.service.ts";
import { noStore } from "./no-store.ts";

const tags = ["Authentication"];

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

  readonly register = endpoint(
    {
      summary: "Create a user",
      tags,
      body: RegisterDTO,
      returns: { 201: User },
      errors: { 400: ["email already registered", ...storeFailures], ...busy },
    },
    async (ctx, { body }) => {
      try {
        return (await this.#auth.register(body)) ?? ctx.fail(400, "email already registered");
      } catch (error) {
        // a store failure is a 400 here, with the message of the cause; logged here, because the kernel logs nothing below 500
        if (error instanceof HttpError && error.cause instanceof HttpError) {
          ctx.log.error({ err: error }, "the user could not be created");
          return new HttpError(400, error.cause.message);
        }
        throw error;
      }
    },
  );

  readonly login = endpoint(
    {
      summary: "Log in, for an access token",
      tags,
      body: LoginDTO,
      returns: Token,
      errors: { 401: "invalid credentials", ...loginRefused, 500: [notIssued, ...storeFailures] },
    },
    async (ctx, { body }) => {
      const user = await this.#auth.login(body, ctx);
      return user === undefined ? ctx.fail(401) : { token: await this.#auth.issueToken(user) };
    },
  );
}
