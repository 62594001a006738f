import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { api, type Context } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { moduleOf } from "../../packages/core/test/support/transports.ts";
import { Figures, type Part, type PartOptions } from "../part.ts";
import { Caller } from "../support/caller.ts";

const millionUrls = fileURLToPath(new URL("../../packages/core/test/fixtures/million-urls.ts", import.meta.url));

export const part: Part = {
  id: "P3",
  title: "a million different URLs, and routes that change under load",
  bar: "heap after GC ≤ 16 MB more; 1,000 changes under load: 0 stale resolutions",
  needs: [],
  async run(options) {
    const args = ["--expose-gc", "--conditions=@tenon/source", millionUrls];
    const growth = Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
    const figures = new Figures().atMost("heap growth MB", growth / 2 ** 20, 16);
    await changeUnderLoad(figures, options);
    return figures.done();
  },
};

/** A route above a wildcard is added, replaced and removed. A response is stale when it is older than the last change before its request. */
async function changeUnderLoad(figures: Figures, { short, say }: PartOptions): Promise<void> {
  const changes = short ? 200 : 1000;
  let version = 0;
  const app = await createTestApp(
    moduleOf([{ method: "GET", path: "/*", handler: () => version }]),
    api({ middlewares: [] }),
    { log: { level: "silent" } },
  );
  const { url } = await app.listen({ port: 0, signals: false });
  const caller = new Caller(url);
  let stale = 0;
  let requests = 0;
  let running = true;
  const load = async (path: string) => {
    while (running) {
      const before = version;
      const seen = Number((await caller.call("GET", path)).text);
      requests++;
      if (seen < before || seen > version) stale++;
    }
  };
  try {
    const loads = ["/a/b", "/a/b", "/a/c", "/a/b?x=1"].map(load);
    for (let change = 1; change <= changes; change++) {
      const next = change;
      const handler = (_: Context) => next;
      // the wildcard responds with the current version, the others with the version they were created for
      if (change % 3 === 1) app.routes.add({ method: "GET", path: "/a/:x", handler });
      else if (change % 3 === 2) app.routes.replace("GET", "/a/:x", { method: "GET", path: "/a/:x", handler });
      else app.routes.remove("GET", "/a/:x");
      version = change;
      const seen = requests;
      while (requests < seen + 12) await new Promise(setImmediate);
      if (change % 100 === 0) say(`${change} of ${changes} changes`);
    }
    running = false;
    await Promise.all(loads);
  } finally {
    caller.close();
    await app.stop();
  }
  figures.show("changes", changes).show("requests", requests).exactly("stale", stale, 0);
}
