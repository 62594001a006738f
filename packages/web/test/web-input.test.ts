import assert from "node:assert/strict";
import { test } from "node:test";
import type { Routes } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { web } from "@tenon/web";
import { z } from "zod";
import { moduleOf } from "../../core/test/support/transports.ts";

const routes: Routes = [
  {
    method: "POST",
    path: "/",
    handler: async (ctx) => Response.json(await ctx.bind(z.strictObject({ title: z.string() }))),
  },
];

test("bind() reads forms and JSON, and a strict schema does not see the CSRF token", async () => {
  const views = { has: () => false, render: () => "" };
  const app = await createTestApp(moduleOf(routes), web({ views, middlewares: [] }));
  const title = async (options: Parameters<typeof app.request>[2]) => {
    const response = await app.request("POST", "/", { ...options, headers: { accept: "application/json" } });
    return [response.status, await response.json()];
  };
  assert.deepEqual(await title({ form: { title: "Hi", _csrf: "secret" } }), [200, { title: "Hi" }]);
  assert.deepEqual(await title({ form: { title: "Hi", other: "1" } }), [400, { error: "Invalid request" }]);
  assert.deepEqual(await title({ json: { title: "Hi" } }), [200, { title: "Hi" }]);
  await app.stop();
});
