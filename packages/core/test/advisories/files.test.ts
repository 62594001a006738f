import assert from "node:assert/strict";
import { after, test } from "node:test";
import { api } from "@tenon/core";
import { staticFiles } from "@tenon/core/middleware";
import { createTestApp } from "@tenon/core/testing";
import { createSite } from "../../../web/test/support/site.ts";
import { LogLines } from "../support/log-lines.ts";
import { openFilesBelow } from "../support/open-files.ts";
import { requestRaw } from "../support/raw-request.ts";
import { moduleOf } from "../support/transports.ts";

const site = createSite({ "index.html": "<p>page</p>", "a.txt": "a" });
after(() => site.remove());

test("only files below the root are served, and no path crashes the server (K16, Hono GHSA-w332-q679-j88p, @hono/node-server CVE-2024-23340, node-static CVE-2025-11149)", async () => {
  const log = new LogLines();
  const handler = staticFiles(site.root, { index: "index.html" });
  const app = await createTestApp(moduleOf([{ method: "GET", path: "/assets/*", handler }]), api(), {
    log: log.options,
  });
  try {
    const { port } = await app.listen({ port: 0, signals: false });
    const get = (path: string) => requestRaw(port, `/assets/${path}`);
    assert.equal((await get("a.txt")).body.includes("a"), true);
    const missing = {
      "a dotfile": [".env", ".git/config", "folder/.env", "%2eenv", "%2Egit/config"],
      "a path out of the root": [
        "..%2fsecret.txt",
        "..%2Fsecret.txt",
        "..%5csecret.txt",
        "..\\secret.txt",
        "%2fetc%2fpasswd",
        "%252e%252e%252fsecret.txt",
      ],
      "an encoded separator": [
        "folder%2Finside.txt",
        "folder%2finside.txt",
        "folder%5Cinside.txt",
        "folder%252Finside.txt",
      ],
      "a link out of the root": ["out.txt", "old/secret.txt"],
      "a link to itself": ["loop.txt"],
      "a directory": ["folder", "folder/", "old"],
      "no file": ["pipe.txt", "nothing", "a.txt/", "a.txt/b", "", `${"x".repeat(300)}`, `${"d/".repeat(1000)}x`],
      "a backslash": ["back\\slash.txt", "back%5cslash.txt"],
    };
    for (const [what, paths] of Object.entries(missing)) {
      for (const path of paths) {
        const response = await get(path);
        const expected = path === "" ? 200 : 404;
        assert.equal(response.status, expected, `${what}: ${path}`);
        assert.ok(!response.body.includes("secret"), `${what}: ${path}`);
      }
    }
    for (const path of [
      "../secret.txt",
      "folder/../../secret.txt",
      "%2e%2e/secret.txt",
      ".%2e/secret.txt",
      "./a.txt",
      "%",
      ...["%00", "a.txt%00", "a%00.txt", "%00/a.txt", "..%00/secret.txt", "a.txt?v=%00"],
    ]) {
      assert.equal((await get(path)).status, 400, path);
    }
    assert.deepEqual(log.messages("error"), []);
    assert.deepEqual(openFilesBelow(site.root), []);
  } finally {
    await app.stop();
  }
});
