import { HttpError, inject } from "@tenon/core";
import { asSpecified, specifiedFailures } from "../database/store-failures.ts";
import { User } from "../users/users.dto.ts";
import { LoginDTO, RegisterDTO, Token } from "./auth.dto.ts";
import { codeRequired, loginRefused, notIssued } from "./auth.errors.ts";
import { auth } from "./auth.routes.ts";
import { AuthService } from "./auth.service.ts";

const wrongCredentials = "invalid credentials";
const refused = { 401: [wrongCredentials, codeRequired] } as const;

/** The blog tutorial's variant: other messages, and only registration and login. */
export class TutorialAuthController {
  readonly #auth = inject(AuthService);

  readonly register = auth.post(
    "/register",
    {
      summary: "Create a user",
      access: "public",
      body: RegisterDTO,
      returns: { 201: User },
      errors: { 400: ["email already registered", ...specifiedFailures], ...loginRefused },
    },
    async (ctx, { body }) => {
      try {
        return (await this.#auth.register(body, ctx)) ?? ctx.fail(400, "email already registered");
      } catch (error) {
        // a store failure is a 400 here, with the message of the cause; logged here, because the kernel logs nothing below 500
        if (error instanceof HttpError && error.cause instanceof HttpError) {
          ctx.log.error({ err: error }, "the user could not be created");
          throw new HttpError(400, error.cause.message);
        }
        throw error;
      }
    },
  );

  readonly login = auth.post(
    "/login",
    {
      middlewares: [asSpecified],
      summary: "Log in, for an access token",
      access: "public",
      body: LoginDTO,
      returns: Token,
      errors: { ...refused, ...loginRefused, 500: [notIssued, ...specifiedFailures] },
    },
    async (ctx, { body }) => {
      const user = await this.#auth.login(body, ctx);
      return user === undefined ? ctx.fail(401, wrongCredentials) : { token: await this.#auth.issueToken(user, ctx) };
    },
  );

  routes() {
    return [this.register, this.login];
  }
}
