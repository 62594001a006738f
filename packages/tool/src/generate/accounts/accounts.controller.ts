import { dto, inject, route } from "@tenon/core";
import { generatorFlags, toGeneration } from "../generator-flags.ts";
import { AccountsService } from "./accounts.service.ts";

const AccountsFlags = dto(generatorFlags);

/** `tenon g accounts`. */
export class AccountsController {
  readonly #accounts = inject(AccountsService);

  readonly create = route.command(
    "accounts",
    { summary: "Add mail, e-mail verification, password reset and a second factor to the users", query: AccountsFlags },
    (ctx, { query: flags }) => this.#accounts.create(toGeneration(ctx, flags)),
  );

  routes() {
    return [{ path: "g", children: [this.create] }];
  }
}
