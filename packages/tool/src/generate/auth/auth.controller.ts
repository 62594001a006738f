import { boolean, dto, inject, route } from "@tenon/core";
import { generatorFlags, toGeneration } from "../generator-flags.ts";
import { AuthService } from "./auth.service.ts";

const AuthFlags = dto({
  sessions: boolean().describe("Clients of an API log in with a session in a cookie, instead of a token"),
  ...generatorFlags,
});

/** `tenon g auth`. */
export class AuthController {
  readonly #auth = inject(AuthService);

  readonly create = route.command(
    "auth",
    { summary: "Add users, registration, login and guards to an API, pages or both", query: AuthFlags },
    (ctx, { query: flags }) => this.#auth.create({ ...toGeneration(ctx, flags), sessions: flags.sessions === true }),
  );

  routes() {
    return [{ path: "g", children: [this.create] }];
  }
}
