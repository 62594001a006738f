import { resolve } from "node:path";
import { boolean, dto, inject, route } from "@tenon/core";
import { placeFlags } from "../../run/place.ts";
import { AccountsService } from "./accounts.service.ts";

const AccountsFlags = dto({
  in: placeFlags.in,
  no_install: boolean().describe("Skip npm install, which runs when a dependency was added"),
});

/** `tenon g accounts`. */
export class AccountsController {
  readonly #accounts = inject(AccountsService);

  readonly create = route.command(
    "accounts",
    { summary: "Add mail, e-mail verification, password reset and a second factor to the users", query: AccountsFlags },
    (ctx, { query: flags }) =>
      this.#accounts.create({
        folder: resolve(flags.in ?? "."),
        install: flags.no_install !== true,
        signal: ctx.signal,
      }),
  );

  routes() {
    return [{ path: "g", children: [this.create] }];
  }
}
