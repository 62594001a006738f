import assert from "node:assert/strict";
import { test } from "node:test";
import { RegistrationLimit } from "@tenon/auth";
import { type Context, inject, provide, type Routes } from "@tenon/core";
import { FakeClock } from "@tenon/core/testing";
import { KeyValue } from "@tenon/data";
import { MemoryKeyValue } from "../../data/src/key-value/memory.ts";
import { type AuthSetup, withAuth } from "./support/auth-app.ts";

class Users {
  readonly #limit = inject(RegistrationLimit);

  routes(): Routes {
    return [{ method: "POST", path: "/register", handler: (ctx: Context) => this.register(ctx, ctx.query("result")) }];
  }

  /** Without a `ctx` as a command does. */
  async register(ctx: Context | undefined, result: string): Promise<string> {
    const create = async () => {
      if (result === "broken") throw new Error("the database is away");
      return result === "taken" ? undefined : "created";
    };
    return (await this.#limit.run(ctx, create)) ?? "taken";
  }
}

type Register = (address: string, result?: string) => Promise<Response>;

/** A server that trusts its proxy, so that a test can send requests from any address. */
async function withUsers(
  auth: AuthSetup["auth"],
  body: (register: Register, users: Users, clock: FakeClock) => Promise<void>,
) {
  const clock = new FakeClock(0);
  const override = [provide(KeyValue, () => new MemoryKeyValue({ clock }))];
  const setup = { auth: auth ?? {}, override, declarations: [Users], api: { trustedProxies: ["127.0.0.1"] } };
  await withAuth(setup, async ({ app }) => {
    const { url } = await app.listen({ port: 0, signals: false });
    const register: Register = (address, result = "") =>
      fetch(`${url}/register?result=${result}`, { method: "POST", headers: { "x-forwarded-for": address } });
    await body(register, app.get(Users), clock);
  });
}

test("one network creates 500 users in an hour by default, and then gets 429 with Retry-After", () =>
  withUsers({}, async (register, users, clock) => {
    for (let count = 0; count < 500; count++) await (await register("192.0.2.1")).bytes();
    clock.advance("600000ms");
    const refused = await register("192.0.2.1");
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "3000"]);
    assert.equal((await register("192.0.2.2")).status, 200, "another network");
    assert.equal(await users.register(undefined, ""), "created", "not a client");
    clock.advance("3000000ms");
    assert.equal((await register("192.0.2.1")).status, 200);
  }));

test("the limit is an option, an IPv6 client is counted by its /64, and only created users count", () =>
  withUsers({ registrationLimit: 2 }, async (register) => {
    for (const result of ["taken", "taken", "broken", "broken"]) await register("2001:db8:0:1::1", result);
    for (const host of ["1", "2"]) assert.equal((await register(`2001:db8:0:1::${host}`)).status, 200);
    assert.equal((await register("2001:db8:0:1::3")).status, 429);
    assert.equal((await register("2001:db8:0:2::3")).status, 200);
  }));

test("loginLimit: false switches it off", () =>
  withUsers({ registrationLimit: 1, loginLimit: false }, async (register) => {
    for (let count = 0; count < 3; count++) assert.equal((await register("192.0.2.1")).status, 200);
  }));
