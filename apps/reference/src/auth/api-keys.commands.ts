import { ApiKeys } from "@tenon/auth";
import { type Context, dto, endpoint, group, HttpError, inject, routes, string } from "@tenon/core";
import type { UserRecord } from "../users/user.ts";
import { UsersService } from "../users/users.service.ts";

const CreateKey = dto({
  name: string("max=100").describe("The purpose of the key"),
  expires_at: string("max=40").describe("When it expires, such as 2027-01-01T00:00:00Z; never by default"),
});

const noUser = "User not found";

/** Commands for API keys. A key is shown once, when it is created. */
export class ApiKeysCommands {
  readonly #keys = inject(ApiKeys);
  readonly #users = inject(UsersService);

  routes() {
    return routes([
      group("keys", [
        { path: "create/:email", handler: this.create },
        { path: "revoke/:email/:id", handler: this.revoke },
      ]),
    ]);
  }

  readonly create = endpoint(
    { summary: "Create an API key for a user and print it", query: CreateKey, errors: { 404: noUser } },
    async (ctx: Context<"keys/create/:email">, { query: { name, expires_at } }) => {
      const user = await this.#owner(ctx.param("email"));
      const { key, record } = await this.#keys.create(user.id, {
        ...(name === undefined ? {} : { name }),
        ...(expires_at === undefined ? {} : { expiresAt: expires_at }),
      });
      return { ...record, key };
    },
  );

  readonly revoke = endpoint(
    { summary: "Revoke an API key of a user", errors: { 404: [noUser, "API key not found"] } },
    async (ctx: Context<"keys/revoke/:email/:id">) => {
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
}
