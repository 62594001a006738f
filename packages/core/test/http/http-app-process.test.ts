import assert from "node:assert/strict";
import { createServer } from "node:net";
import { describe, test } from "node:test";
import { runFixture } from "../support/run-fixture.ts";

const listen = (options: object) => runFixture("listen.ts", [JSON.stringify(options)]);
const failed = { code: 1, stdout: "started\nstopped\n" };

// concurrent, because each test loads a process of its own
describe("a failed start exits with code 1 and prints one line", { concurrency: true }, () => {
  test("the port is in use", async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, "127.0.0.1", () => resolve((other.address() as { port: number }).port)); // a TCP server has no other
    });
    const [result, inDevelopment] = await Promise.all([
      listen({ listen: { port } }),
      runFixture("listen.ts", [JSON.stringify({ listen: { port } })], { TENON_DEV: "start" }),
    ]);
    other.close();
    const start = `Cannot start: Port ${port} on 127.0.0.1 is in use. Stop the program that has it, or take another port:`;
    const next = Math.min(port + 1, 65_534);
    const stderr = `${start} PORT=${next} or --port=${next}, where the application reads them. See docs/errors.md#listen_failed\n`;
    assert.deepEqual(result, { ...failed, stderr });
    assert.equal(inDevelopment.stderr, `${start} tenon dev --port=${next}. See docs/errors.md#listen_failed\n`);
  });

  for (const [host, message] of [
    [
      "nowhere.invalid",
      "The host name nowhere.invalid cannot be resolved. Use 127.0.0.1 or 0.0.0.0, or a name of this machine.",
    ],
    ["192.0.2.1", "192.0.2.1 is not an address of this machine. Use 127.0.0.1 or 0.0.0.0."],
  ] as const) {
    test(`the host ${host} cannot be used`, async () => {
      const stderr = `Cannot start: ${message} See docs/errors.md#listen_failed\n`;
      assert.deepEqual(await listen({ listen: { port: 0, host } }), { ...failed, stderr });
    });
  }
});
