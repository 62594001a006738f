import { resolve } from "node:path";
import { boolean, dto, endpoint, group, inject, routes, string } from "@tenon/core";
import { AuthService } from "./auth.service.ts";

const AuthFlags = dto({
  in: string().describe("Folder of the application; defaults to the current folder"),
  no_install: boolean().describe("Skip npm install, which runs when a dependency was added"),
});

/** `tenon g auth`. */
export class AuthController {
  readonly #auth = inject(AuthService);

  routes() {
    const commands = [{ path: "auth", handler: this.create }];
    return routes([group("g", commands), group("generate", commands)]);
  }

  readonly create = endpoint(
    { summary: "Add users, registration, login and guards to an API, pages or both", query: AuthFlags },
    (ctx, { query: flags }) =>
      this.#auth.create({
        folder: resolve(flags.in ?? "."),
        install: flags.no_install !== true,
        signal: ctx.signal,
      }),
  );
}
