import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { EventReader } from "../support/event-reader.ts";

test("events reach the clients of all workers of a machine, and a client continues on another worker", async () => {
  const fixture = fileURLToPath(new URL("../fixtures/workers.ts", import.meta.url));
  const server = spawn(process.execPath, ["--conditions=@tenon/source", fixture], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = await once(server.stdout.setEncoding("utf8"), "data");
    const url = `http://127.0.0.1:${/^port (\d+)/.exec(String(line))?.[1]}/`;
    const byWorker = new Map<string, EventReader>();
    for (let count = 0; byWorker.size < 2 && count < 50; count++) {
      const reader = await EventReader.open(url);
      const worker = reader.response.headers.get("x-worker") ?? "";
      if (byWorker.has(worker)) await reader.cancel();
      else byWorker.set(worker, reader);
    }
    assert.deepEqual([...byWorker.keys()].toSorted(), ["1", "2"]);
    for (const reader of byWorker.values()) await reader.until(({ id }) => id !== "");
    for (const text of ["1", "2", "3"]) {
      const response = await fetch(`${url}?text=${text}`, { method: "POST" });
      assert.deepEqual(await response.json(), { reach: "workers" });
    }
    const ids: string[][] = [];
    for (const reader of byWorker.values()) {
      const events = await reader.take(3);
      assert.deepEqual(
        events.map(({ data }) => data),
        ["1", "2", "3"].map((text) => ({ text })),
      );
      ids.push(events.map(({ id }) => id));
    }
    assert.deepEqual(ids[0], ids[1]);
    const again = await EventReader.open(url, { "last-event-id": ids[0]?.[0] ?? "" });
    assert.deepEqual(
      (await again.take(2)).map(({ data }) => data),
      ["2", "3"].map((text) => ({ text })),
    );
    for (const reader of [...byWorker.values(), again]) await reader.cancel();
    server.kill("SIGTERM");
    const [code] = await once(server, "exit");
    assert.equal(code, 0);
  } finally {
    server.kill("SIGKILL");
  }
});
