import assert from "node:assert/strict";
import { fuzzContract } from "@tenon/fuzz";
import { testOnStorages } from "./support/blog.ts";

/** In the full gate 20,000 requests for each storage. */
const requests = process.env.TENON_FULL === "1" ? 20_000 : 400;

testOnStorages(
  "every response to generated requests is as declared",
  async ({ app, users }) => {
    const user = await users.one();
    const { cookie } = await users.session(user);
    const headers = { authorization: `Bearer ${user.token}` };
    const create = async (path: string, json: object) =>
      (await (await app.request("POST", path, { json, headers })).json()) as { id: string; key: string };
    const { key } = await create("/auth/api-keys", {});
    const credentials: Record<string, Record<string, string>> = { session: { cookie }, apiKey: { "x-api-key": key } };
    const login = { body: { email: user.email, password: user.password } };
    const report = await fuzzContract(app, {
      requests,
      examples: {
        "auth.login": login,
        "auth.token": login,
        "auth.openSession": login,
        "auth.refresh": { body: { refresh_token: await users.refreshToken(user) } },
      },
      params: ({ path }) =>
        path.startsWith("/posts") ? create("/posts", { title: "t", content: "c" }) : create("/auth/api-keys", {}),
      headers: ({ security }) => credentials[security[0] ?? ""] ?? headers,
    });
    assert.ok(report.requests >= requests);
    assert.ok(Object.keys(report.statuses).length > 15, JSON.stringify(report.statuses));
    // a generated login may be accepted too: with the same seed, it can be a user who was registered by the run
    for (const id of ["auth.login", "auth.token", "auth.openSession", "auth.refresh"]) {
      const counts = report.statuses[id] ?? {};
      assert.ok((counts[200] ?? counts[201] ?? 0) > 0, `${id}: ${JSON.stringify(counts)}`);
    }
  },
  { config: { loginRateLimit: false } },
);
