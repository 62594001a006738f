import assert from "node:assert/strict";
import { test } from "node:test";
import { api, defineModule, inject, provide, token } from "@tenon/core";
import { describeStores } from "@tenon/core/platform";
import { createTestApp } from "@tenon/core/testing";
import { type StoreOptions, Stores, StoreUrls } from "../src/stores.ts";

const Described = token<object>("Described");

/** What the stores of these options tell the tool; none of them is opened. */
async function describe(options: StoreOptions): Promise<object> {
  const module = defineModule({
    name: "app",
    declarations: [
      provide(StoreUrls, () => ({ ...options, names: {} })),
      provide(Stores, () => new Stores(options)),
      provide(Described, () => inject(Stores)[describeStores]()),
    ],
  });
  const app = await createTestApp(module, api());
  await app.stop();
  return app.get(Described);
}

test("the stores describe where they are, without passwords", async () => {
  assert.deepEqual(await describe({}), {
    database: "sqlite ./data/app.db",
    keyValue: "sqlite ./data/app.db",
    cache: "memory",
  });
  const postgres = "postgres://admin:secret@db.test/shop?password=secret";
  assert.deepEqual(
    await describe({ database: postgres, keyValue: "memory:", cache: "redis://:secret@cache.test:7000" }),
    {
      database: "postgres db.test:5432",
      keyValue: "memory",
      cache: "redis cache.test:7000",
    },
  );
});
