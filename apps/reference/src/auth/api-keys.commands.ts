import { ApiKeys } from "@tenon/auth";
import { array, dto, HttpError, inject, route, string } from "@tenon/core";
import type { UserRecord } from "../users/user.ts";
import { UsersService } from "../users/users.service.ts";

const CreateKey = dto({
  name: string("max=100").describe("The purpose of the key"),
  expires_at: string("max=40").describe("When it expires, such as 2027-01-01T00:00:00Z; never by default"),
  scopes: array(string(), "max=50").describe("What it may do, such as posts:write; everything by default"),
}).strict(); // a misspelt `scopes` must not give a key that may do everything

const noUser = "User not found";

/** Commands for API keys. A key is shown once, when it is created. */
export class ApiKeysCommands {
  readonly #keys = inject(ApiKeys);
  readonly #users = inject(UsersService);

  readonly create = route.command(
    "keys/create/:email",
    { summary: "Create an API key for a user and print it", query: CreateKey, errors: { 404: noUser } },
    async (ctx, { query: { name, expires_at, scopes } }) => {
      const user = await this.#owner(ctx.param("email"));
      const options = { name, expiresAt: expires_at, scopes: scopes ?? "all" } as const;
      const { key, record } = await this.#keys.create(user.id, options);
      return { ...record, key };
    },
  );

  readonly revoke = route.command(
    "keys/revoke/:email/:id",
    { summary: "Revoke an API key of a user", errors: { 404: [noUser, "API key not found"] } },
    async (ctx) => {
      const user = await this.#owner(ctx.param("email"));
      if (!(await this.#keys.revoke(user.id, ctx.param("id")))) return ctx.fail(404, "API key not found");
      return ctx.status(200).send("revoked");
    },
  );

  async #owner(email: string): Promise<UserRecord> {
    const user = await this.#users.findByEmail(email);
    if (user === undefined) throw new HttpError(404, noUser);
    return user;
  }

  routes() {
    return [this.create, this.revoke];
  }
}
