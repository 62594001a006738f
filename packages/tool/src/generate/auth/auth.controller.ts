import { resolve } from "node:path";
import { boolean, dto, inject, route } from "@tenon/core";
import { placeFlags } from "../../run/place.ts";
import { AuthService } from "./auth.service.ts";

const AuthFlags = dto({
  in: placeFlags.in,
  sessions: boolean().describe("Clients of an API log in with a session in a cookie, instead of a token"),
  no_install: boolean().describe("Skip npm install, which runs when a dependency was added"),
});

/** `tenon g auth`. */
export class AuthController {
  readonly #auth = inject(AuthService);

  readonly create = route.command(
    "auth",
    { summary: "Add users, registration, login and guards to an API, pages or both", query: AuthFlags },
    (ctx, { query: flags }) =>
      this.#auth.create({
        folder: resolve(flags.in ?? "."),
        sessions: flags.sessions === true,
        install: flags.no_install !== true,
        signal: ctx.signal,
      }),
  );

  routes() {
    return [{ path: "g", children: [this.create] }];
  }
}
