import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isReliabilityRun, noteFigures } from "../../../packages/core/test/support/figures.ts";
import type { LoginResponse, TokenPair } from "../src/auth/auth.service.ts";
import type { Post } from "../src/posts/post.ts";
import { type Blog, jwtSecret, withFreshBlog } from "./support/blog.ts";
import { assertError, assertReply, type Client, type Reply } from "./support/client.ts";
import { hold } from "./support/hold.ts";
import { assertRest, noteFailures } from "./support/login-failures.ts";
import { withServer, withTwoServers } from "./support/processes.ts";
import { type Storage, sharedStorages, storages } from "./support/storages.ts";
import { slowHash, uniqueEmail } from "./support/users.ts";

const isFull = process.env.TENON_FULL === "1";
const refreshRounds = isFull ? 200 : isReliabilityRun ? 3 : 1;
const registerRounds = isFull ? 50 : 1;
const interleavings = isFull ? 500 : 10;

interface Instances {
  readonly a: Client;
  readonly b: Client;
  /** A third one, in this process: it creates users, tokens and failures without the time of hashing. */
  readonly blog: Blog;
  /** Runs one more instance, freshly started and without any cached state. */
  withFresh(body: (client: Client) => Promise<void>): Promise<void>;
}

const fixture = "test/fixtures/patient-server.ts";

/** Two servers on one store, each in its own process. */
function withInstances(storage: Storage, body: (instances: Instances) => Promise<void>): Promise<void> {
  return withFreshBlog(storage, (blog) => {
    const { databaseUrl, redisUrl } = blog.urls;
    const shared = { DATABASE_URL: databaseUrl, JWT_SECRET: jwtSecret };
    const env = redisUrl === undefined ? shared : { ...shared, REDIS_URL: redisUrl };
    const withFresh: Instances["withFresh"] = (use) => withServer(fixture, env, ({ client }) => use(client));
    return withTwoServers(fixture, env, (a, b) => body({ a: a.client, b: b.client, blog, withFresh }));
  });
}

/** The number of responses by status. */
function countOf(replies: readonly Reply<unknown>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

// each storage takes three processes: PostgreSQL without Redis runs in the reliability tests only
for (const storage of isFull || isReliabilityRun ? sharedStorages : storages) {
  describe(`Two instances on one store (${storage.name})`, () => {
    const held = hold<Instances>((use) => withInstances(storage, use));
    before(() => held.open());
    after(() => held.close());

    /** Calls both instances alternately, all concurrently. */
    function atOnce<T>(count: number, call: (client: Client, index: number) => Promise<T>): Promise<T[]> {
      const { a, b } = held.value;
      return Promise.all(Array.from({ length: count }, (_, index) => call(index % 2 === 0 ? a : b, index)));
    }

    async function startFamily(): Promise<string> {
      const { users } = held.value.blog;
      return users.refreshToken(await users.one());
    }

    test("exactly one of 100 concurrent refreshes of one token is 200, and 99 are 401 `invalid refresh token` (A7, R1)", async () => {
      const { a, withFresh } = held.value;
      const consumed: string[] = [];
      for (let round = 0; round < refreshRounds; round++) {
        const refresh_token = await startFamily();
        consumed.push(refresh_token);
        const replies = await atOnce(100, (client) => client.post<TokenPair>("/auth/refresh", { refresh_token }));
        assert.deepEqual(countOf(replies), { 200: 1, 401: 99 });
        for (const reply of replies) if (reply.status === 401) assertError(reply, 401, "invalid refresh token");
        assertError(await a.post("/auth/refresh", { refresh_token }), 401, "invalid refresh token");
      }
      await withFresh(async (restarted) => {
        for (const refresh_token of consumed) {
          assertError(await restarted.post("/auth/refresh", { refresh_token }), 401, "invalid refresh token");
        }
      });
      noteFigures({
        store: storage.name,
        rounds: refreshRounds,
        oneWinner: refreshRounds,
        deadAfterRestart: consumed.length,
      });
    });

    const callers = 100;
    test(`one of ${callers} concurrent registrations of one e-mail in all spellings is 201, the others are 409 (R2)`, async () => {
      for (let round = 0; round < registerRounds; round++) {
        const email = uniqueEmail();
        const replies = await atOnce(callers, (client, index) => {
          const spelling = [...email].map((letter, place) => (place % 7 === index % 7 ? letter.toUpperCase() : letter));
          return client.post("/auth/register", {
            email: spelling.join(""),
            password: "correct horse",
            name: `Ada ${index}`,
          });
        });
        assert.deepEqual(countOf(replies), { 201: 1, 409: callers - 1 });
        for (const reply of replies) if (reply.status === 409) assertError(reply, 409, "Email already registered");
      }
      noteFigures({ store: storage.name, rounds: registerRounds, registrations: registerRounds * callers });
    });

    test("no token of the family can be refreshed after the response to a concurrent logout (A10, R3)", async () => {
      const { a, b } = held.value;
      for (let round = 0; round < interleavings; round++) {
        const refresh_token = await startFamily();
        const [refreshed] = await Promise.all([
          a.post<TokenPair>("/auth/refresh", { refresh_token }),
          b.post("/auth/logout", { refresh_token }),
        ]);
        const latest = refreshed.status === 200 ? refreshed.body.refresh_token : refresh_token;
        for (const client of [a, b]) {
          assertError(await client.post("/auth/refresh", { refresh_token: latest }), 401, "invalid refresh token");
        }
      }
      noteFigures({ store: storage.name, refreshLogout: interleavings });
    });

    test("a deleted post is not restored by a concurrent PUT (R3)", async () => {
      const { a, b, blog } = held.value;
      const { token } = await blog.users.one();
      for (let round = 0; round < interleavings; round++) {
        const { body: post } = await a.post<Post>("/posts", { title: "t", content: "c" }, { token });
        const path = `/posts/${post.id}`;
        const [put, removed] = await Promise.all([
          a.call("PUT", path, { token, json: { title: "new" } }),
          b.call("DELETE", path, { token }),
        ]);
        assert.equal(removed.status, 204);
        if (put.status !== 200) assertError(put, 500, "record not found");
        for (const client of [a, b]) assertError(await client.get(path), 404, "Post not found");
      }
      noteFigures({ store: storage.name, putDelete: interleavings });
    });

    test("no read of an expiring session succeeds after one was refused (R3)", async () => {
      const { blog } = held.value;
      const { user } = await blog.users.one();
      const atOnceEach = 10;
      for (let round = 0; round < interleavings; round += atOnceEach) {
        await atOnce(atOnceEach, async (client, index) => {
          const other = client === held.value.a ? held.value.b : held.value.a;
          const { cookie, expireIn } = await blog.users.expirableSession(user);
          const read = (reader: Client) => reader.get("/auth/session", { headers: { cookie } });
          for (const reader of [client, other]) assert.equal((await read(reader)).status, 200);
          const expiring = expireIn(10 + index);
          let refused = 0;
          for (let count = 0; refused < 4 && count < 100_000; count++) {
            const reply = await read(count % 2 === 0 ? client : other);
            if (reply.status === 200) assert.equal(refused, 0, "it came back");
            else {
              assertError(reply, 401, "Invalid session");
              refused++;
            }
          }
          assert.equal(refused, 4);
          await expiring;
        });
      }
      noteFigures({ store: storage.name, readExpire: interleavings });
    });

    test("a session opened on A works on B, and is 401 on A right after the logout on B (M1, A13)", async () => {
      const { a, b, blog } = held.value;
      const { email, password } = await blog.users.one();
      const opened = await a.post("/auth/session", { email, password });
      const headers = { cookie: opened.headers.getSetCookie()[0]?.split(";")[0] ?? "" };
      for (const client of [a, b]) assert.equal((await client.get("/auth/session", { headers })).status, 200);
      assertReply(await b.call("POST", "/auth/logout", { headers }), 200, { message: "Logged out" });
      assertError(await a.get("/auth/session", { headers }), 401, "Invalid session");
      assertError(await b.get("/auth/session", { headers }), 401, "Invalid session");
    });

    test("an access token and an API key of A work on B, until the key is revoked there (M1)", async () => {
      const { a, b, blog } = held.value;
      const { email, password } = await blog.users.one();
      const { body: login } = await a.post<LoginResponse>("/auth/login", { email, password });
      const { token } = login;
      assert.equal((await b.get("/auth/me", { token })).status, 200);
      const { body } = await a.post<{ id: string; key: string }>("/auth/api-keys", {}, { token });
      const headers = { "x-api-key": body.key };
      assert.equal((await b.get("/auth/key", { headers })).status, 200);
      assert.equal((await b.call("DELETE", `/auth/api-keys/${body.id}`, { token })).status, 204);
      assertError(await a.get("/auth/key", { headers }), 401, "Invalid API key");
    });

    test("concurrent updates of one post on both instances have strictly increasing updated_at", async () => {
      const { a, b, blog } = held.value;
      const { token } = await blog.users.one();
      const { body: post } = await a.post<Post>("/posts", { title: "t", content: "c" }, { token });
      const replies = await atOnce(20, (client, index) =>
        client.call<Post>("PATCH", `/posts/${post.id}`, { token, json: { title: String(index) } }),
      );
      assert.deepEqual(countOf(replies), { 200: 20 });
      const times = replies.map(({ body }) => body.updated_at).concat(post.updated_at);
      assert.equal(new Set(times).size, 21);
      const last = replies.find(({ body }) => body.updated_at === times.toSorted().at(-1));
      const shown = await b.get<Post>(`/posts/${post.id}`);
      assert.equal(shown.body.title, last?.body.title);
    });

    test("login failures on A and B are counted together, also when both compare at once (M1)", async () => {
      const { a, b, blog } = held.value;
      const { email, password } = await blog.users.add(uniqueEmail(), slowHash); // so that guesses wait for each other
      const start = Date.now();
      await noteFailures(blog, new Array<string>(16).fill(email));
      const guess = async (client: Client) => {
        const replies: Reply<unknown>[] = [];
        while (replies.length < 8) replies.push(await client.post("/auth/login", { email, password: "wrong horse" }));
        return replies;
      };
      const { 401: checked = 0, 429: refused = 0 } = countOf((await Promise.all([a, b].map(guess))).flat());
      assert.equal(checked + refused, 16);
      // four are left; the other instance may be comparing one while the last of them fails
      assert.ok(checked === 4 || checked === 5, String(checked));
      for (const client of [a, b]) {
        const right = await client.post("/auth/login", { email, password });
        assertError(right, 429, "Too Many Requests");
        assertRest(right, 900, start);
      }
    });
  });
}
