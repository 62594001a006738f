import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parsePrometheus } from "./support/prometheus.ts";

test("GET /metrics has the figures of all workers", async () => {
  const fixture = fileURLToPath(new URL("./fixtures/workers.ts", import.meta.url));
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, ["--conditions=@tenon/source", fixture], {
    stdio: ["ignore", "pipe", "inherit"],
    env,
  });
  const [chunk] = await once(child.stdout, "data");
  const url = `http://127.0.0.1:${/^port (\d+)/.exec(String(chunk))?.[1]}`;
  try {
    const served = new Map<string, number>();
    for (let requests = 0; requests < 200 && served.size < 2; requests++) {
      const response = await fetch(url, { headers: { connection: "close" } });
      const worker = (await response.json()) as string;
      served.set(worker, (served.get(worker) ?? 0) + 1);
    }
    assert.equal(served.size, 2);
    const headers = { authorization: "Bearer a-token-of-the-workers" };
    const families = parsePrometheus(await (await fetch(`${url}/metrics`, { headers })).text());
    const counts = (families.get("http_server_request_duration_seconds")?.samples ?? [])
      .filter(({ name, labels }) => name.endsWith("_count") && labels.http_route === "/")
      .map(({ labels, value }) => [labels.worker ?? "", value] as const);
    assert.deepEqual(new Map(counts), served);
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
});
