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
    const report = await fuzzContract(app, {
      requests,
      params: ({ path }) =>
        path.startsWith("/posts") ? create("/posts", { title: "t", content: "c" }) : create("/auth/api-keys", {}),
      headers: ({ security }) => credentials[security[0] ?? ""] ?? headers,
    });
    assert.ok(report.requests >= requests);
    assert.ok(Object.keys(report.statuses).length > 15, JSON.stringify(report.statuses));
  },
  { config: { loginRateLimit: false } },
);
