import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createSecret } from "@tenon/core/internal";
import { FakeClock } from "@tenon/core/testing";
import type { KeyValue } from "@tenon/data";
import { ExpiringRecords } from "../src/expiring-records.ts";

/** A store in memory that keeps everything: what expires does so by the clock. */
class Memory implements Pick<KeyValue, "get" | "set" | "delete"> {
  readonly entries = new Map<string, { readonly value: string; readonly ttl: number | undefined }>();

  async get<T>(key: string): Promise<T | undefined> {
    const entry = this.entries.get(key);
    return entry === undefined ? undefined : (JSON.parse(entry.value) as T); // what was set under this key
  }
  async set(key: string, value: unknown, { ttl }: { readonly ttl?: number } = {}): Promise<void> {
    this.entries.set(key, { value: JSON.stringify(value), ttl });
  }
  async delete(key: string): Promise<boolean> {
    return this.entries.delete(key);
  }
}

function create() {
  const store = new Memory();
  const clock = new FakeClock();
  return { store, clock, records: new ExpiringRecords(store, clock) };
}

test("a record is kept under the digest of its id, for its time", async () => {
  const { store, records } = create();
  await records.set("session", "secret id", { user: "ada" }, 60);
  const key = `session:${createHash("sha256").update("secret id").digest("hex")}`;
  assert.deepEqual([...store.entries.keys()], [key]);
  assert.equal(store.entries.get(key)?.ttl, 60);
  assert.deepEqual(await records.get("session", "secret id"), { user: "ada" });
  assert.equal(await records.get("other", "secret id"), undefined);
});

test("a record expires by the clock, and stays expired when the clock is set back", async () => {
  const { clock, records } = create();
  await records.set("session", "id", { user: "ada" }, 60);
  clock.advance(59_999);
  assert.deepEqual(await records.get("session", "id"), { user: "ada" });
  clock.advance(1);
  assert.equal(await records.get("session", "id"), undefined);
  clock.set(clock.now() - 30_000);
  assert.equal(await records.get("session", "id"), undefined);
});

test("of two deletions one finds the record", async () => {
  const { records } = create();
  await records.set("session", "id", {}, 60);
  assert.deepEqual(await Promise.all([records.delete("session", "id"), records.delete("session", "id")]), [
    true,
    false,
  ]);
});

test("secrets have 256 bits and are all different", () => {
  const secrets = new Set(Array.from({ length: 1000 }, createSecret));
  assert.equal(secrets.size, 1000);
  for (const secret of secrets) assert.equal(Buffer.from(secret, "base64url").length, 32);
});
