import assert from "node:assert/strict";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { LoginLimit } from "@tenon/auth";
import { type Context, inject, provide, type Routes } from "@tenon/core";
import { FakeClock } from "@tenon/core/testing";
import { type DataOptions, KeyValue } from "@tenon/data";
import { MemoryKeyValue } from "../../data/src/key-value/memory.ts";
import { keyValues } from "../../data/test/support/stores.ts";
import { type AuthApp, type AuthSetup, withAuth } from "./support/auth-app.ts";

class Logins {
  readonly #limit = inject(LoginLimit);

  routes(): Routes {
    return [{ method: "POST", path: "/login", handler: this.login }];
  }

  async login(ctx: Context) {
    const account = ctx.query("account");
    await this.#limit.check(account, ctx);
    if (ctx.query("password") === "right") return { ok: true };
    await this.#limit.noteFailure(account, ctx);
    return ctx.status(401).json({ error: "Invalid credentials" });
  }
}

type Login = (account: string, address: string, password?: string) => Promise<Response>;

/** A server that trusts its proxy, so that a test can send requests from any address. */
async function withLogins(setup: AuthSetup, body: (login: Login, parts: AuthApp) => Promise<void>): Promise<void> {
  const api = { trustedProxies: ["127.0.0.1"], middlewares: [] };
  await withAuth({ ...setup, declarations: [Logins], api }, async (parts) => {
    const { url } = await parts.app.listen({ port: 0, signals: false });
    await body(async (account, address, password = "wrong") => {
      const query = new URLSearchParams({ account, password });
      const response = await fetch(`${url}/login?${query}`, {
        method: "POST",
        headers: { "x-forwarded-for": address },
      });
      await response.bytes();
      return response;
    }, parts);
  });
}

/** The clock and the store of one test. */
function timedStore() {
  const clock = new FakeClock(0);
  return { clock, override: [provide(KeyValue, () => new MemoryKeyValue({ clock }))] };
}

async function statuses(count: number, login: (index: number) => Promise<Response>): Promise<number[]> {
  const seen: number[] = [];
  for (let index = 0; index < count; index++) seen.push((await login(index)).status);
  return seen;
}
const group = () => randomBytes(2).toString("hex");
const all = (count: number, status: number) => Array.from({ length: count }, () => status);

test("20 failures of one account lead to 429 with Retry-After from any address, and other accounts are not limited", () =>
  withLogins(timedStore(), async (login) => {
    assert.deepEqual(await statuses(20, (index) => login("ada", `10.0.0.${index}`)), all(20, 401));
    const refused = await login("ada", "10.0.1.1");
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get("retry-after"), "900");
    assert.equal((await login("ada", "10.0.1.1", "right")).status, 429, "not even with the right password");
    assert.equal((await login("bob", "10.0.1.1")).status, 401);
  }));

test("only failed logins count", () =>
  withLogins(timedStore(), async (login) => {
    assert.deepEqual(await statuses(300, () => login("ada", "10.0.0.1", "right")), all(300, 200));
    assert.deepEqual(await statuses(19, () => login("ada", "10.0.0.1")), all(19, 401));
    assert.deepEqual(await statuses(5, () => login("ada", "10.0.0.1", "right")), all(5, 200));
    assert.equal((await login("ada", "10.0.0.1")).status, 401);
    assert.equal((await login("ada", "10.0.0.1")).status, 429);
  }));

test("the window of an account ends 15 minutes after its first failure", () => {
  const { clock, override } = timedStore();
  return withLogins({ override }, async (login) => {
    await login("ada", "10.0.0.1");
    clock.advance("899000ms");
    await statuses(19, () => login("ada", "10.0.0.1"));
    assert.equal((await login("ada", "10.0.0.1")).status, 429);
    clock.advance("1000ms");
    assert.deepEqual(await statuses(20, () => login("ada", "10.0.0.1")), all(20, 401));
    assert.equal((await login("ada", "10.0.0.1")).status, 429);
  });
});

test("Retry-After is the rest of the window, of the longer one when both are full", () => {
  const { clock, override } = timedStore();
  return withLogins({ override }, async (login) => {
    const retryAfter = async (account: string, address: string) => {
      const { status, headers } = await login(account, address);
      return [status, headers.get("retry-after")];
    };
    await statuses(20, () => login("ada", "10.0.0.1"));
    clock.advance("700000ms");
    assert.deepEqual(await retryAfter("ada", "10.0.0.2"), [429, "200"]);
    await statuses(200, (index) => login(`user ${index}`, "10.0.0.3"));
    clock.advance("50000ms");
    assert.deepEqual(await retryAfter("ada", "10.0.0.2"), [429, "150"]);
    assert.deepEqual(await retryAfter("bob", "10.0.0.3"), [429, "250"]);
    assert.deepEqual(await retryAfter("ada", "10.0.0.3"), [429, "250"]);
    clock.advance("149999ms");
    assert.deepEqual(await retryAfter("ada", "10.0.0.2"), [429, "1"], "never 0, which would mean at once");
    clock.advance("1ms");
    assert.deepEqual(await retryAfter("ada", "10.0.0.2"), [401, null]);
  });
});

test("a window that ends between two reads of the store rejects no login", () => {
  class Ending extends MemoryKeyValue {
    override async ttl() {
      return undefined;
    }
  }
  return withLogins({ override: [provide(KeyValue, () => new Ending())] }, async (login) => {
    assert.deepEqual(await statuses(25, () => login("ada", "10.0.0.1")), all(25, 401));
  });
});

test("200 failures from one address lead to 429 for 5 minutes, and other addresses are not limited", () => {
  const { clock, override } = timedStore();
  return withLogins({ override }, async (login) => {
    assert.deepEqual(await statuses(200, (index) => login(`user ${index}`, "10.0.0.1")), all(200, 401));
    const refused = await login("another", "10.0.0.1");
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get("retry-after"), "300");
    assert.equal((await login("another", "10.0.0.2")).status, 401);
    clock.advance("299999ms");
    assert.equal((await login("another", "10.0.0.1")).status, 429);
    clock.advance("1ms");
    assert.equal((await login("another", "10.0.0.1")).status, 401);
  });
});

test("addresses of one IPv6 /64 count as one, and those of the next one separately", () =>
  withLogins(timedStore(), async (login) => {
    const host = () => `2001:db8:1:2::${group()}:${group()}`;
    assert.deepEqual(await statuses(200, (index) => login(`user ${index}`, host())), all(200, 401));
    assert.equal((await login("another", host())).status, 429);
    assert.equal((await login("another", "2001:db8:1:3::1")).status, 401);
  }));

test("a disabled limit counts nothing", () =>
  withLogins({ ...timedStore(), auth: { loginLimit: false } }, async (login) => {
    assert.deepEqual(await statuses(220, () => login("ada", "10.0.0.1")), all(220, 401));
  }));

test("the store holds no account name in plain text", () => {
  const keys: string[] = [];
  class Watched extends MemoryKeyValue {
    override increment(...args: Parameters<MemoryKeyValue["increment"]>) {
      keys.push(args[0]);
      return super.increment(...args);
    }
  }
  return withLogins({ override: [provide(KeyValue, () => new Watched())] }, async (login) => {
    await login("ada@example.com", "10.0.0.1");
    assert.equal(keys.length, 2);
    assert.ok(!keys.some((key) => key.includes("ada")));
  });
});

for (const adapter of keyValues) {
  describe(`login limit on ${adapter.name}`, () => {
    test("concurrent failures are all counted", () =>
      adapter.with((data: DataOptions) =>
        withLogins({ data }, async (login) => {
          // all tests share one Redis: no other test uses this account or this network
          const account = randomUUID();
          const address = `fd00:${group()}:${group()}:${group()}::1`;
          const replies = await Promise.all(Array.from({ length: 20 }, () => login(account, address)));
          assert.deepEqual(
            replies.map(({ status }) => status),
            all(20, 401),
          );
          assert.equal((await login(account, address)).status, 429);
          assert.equal((await login(randomUUID(), address)).status, 401);
        }),
      ));

    test("Retry-After is the time to live of the counter in the store", () =>
      adapter.with((data: DataOptions) =>
        withLogins({ data }, async (login, { app }) => {
          const account = randomUUID();
          const key = `login-failures:account:${createHash("sha256").update(account).digest("hex")}`;
          await app.get(KeyValue).set(key, 20, { ttl: 400 });
          const { status, headers } = await login(account, `fd00:${group()}:${group()}:${group()}::1`);
          assert.equal(status, 429);
          const seconds = Number(headers.get("retry-after"));
          assert.ok(Number.isInteger(seconds) && seconds > 0 && seconds <= 400, String(seconds));
        }),
      ));
  });
}
