import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { sendRaw } from "../../../core/test/support/raw-socket.ts";
import { type Call, testOnBothTransports } from "../../../core/test/support/transports.ts";
import { createAssets } from "../../src/assets/assets.ts";
import { createSite, type Site } from "../support/site.ts";

const files = {
  "blog.css": "body { color: red }",
  "app.js": "1",
  LICENSE: "free",
  "archive.tar.gz": "gz",
  "img/deep/logo.png": "png",
  "img/ü b%.png": "unicode",
  "empty.txt": "",
  "chunk-3f2a9c1b.js": "bundled",
  "main.3f2a9c1b7d.js": "bundled too",
  "app-5KVBQZ2A.js": "bundled by esbuild",
  "report-20240506.pdf": "a date",
  "photo-HOLIDAY2.jpg": "a word and a number",
  "index-DiwrgTda.js": "bundled by Vite, or a word",
  "old-facadefacade.js": "a word",
  "large.bin": Buffer.alloc(200_000, "0123456789"),
};
const sites: Site[] = [];
after(() => {
  for (const site of sites) site.remove();
});

function createFolder(content: Record<string, string | Uint8Array> = files): string {
  const site = createSite(content);
  sites.push(site);
  return site.root;
}

const fingerprintOf = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex").slice(0, 10);
const forever = "public, max-age=31536000, immutable";
const askAgain = "public, max-age=0";

/** Writes a file anew, at a time of its own, because two writes may fall into one tick of the clock. */
let clock = Date.parse("2024-06-01T00:00:00Z");
function write(path: string, content: string): void {
  writeFileSync(path, content);
  clock += 1000;
  utimesSync(path, new Date(clock), new Date(clock));
}

const root = createFolder();
const assets = createAssets(root);

test("the URL of an asset has the fingerprint of its content before the extension", () => {
  const css = fingerprintOf(files["blog.css"]);
  assert.equal(assets.url("blog.css"), `/assets/blog.${css}.css`);
  assert.match(css, /^[0-9a-f]{10}$/);
  assert.equal(assets.url("LICENSE"), `/assets/LICENSE.${fingerprintOf("free")}`);
  assert.equal(assets.url("archive.tar.gz"), `/assets/archive.tar.${fingerprintOf("gz")}.gz`);
  assert.equal(assets.url("img/deep/logo.png"), `/assets/img/deep/logo.${fingerprintOf("png")}.png`);
  assert.equal(assets.url("img/ü b%.png"), `/assets/img/%C3%BC%20b%25.${fingerprintOf("unicode")}.png`);
  assert.equal(assets.url("large.bin"), `/assets/large.${fingerprintOf(files["large.bin"])}.bin`);
  assert.equal(assets.url("link.txt"), `/assets/link.${fingerprintOf("inside")}.txt`);
});

test("a name with a bundler's hash is not changed; a date and a word are no hash", () => {
  assert.equal(assets.url("chunk-3f2a9c1b.js"), "/assets/chunk-3f2a9c1b.js");
  assert.equal(assets.url("main.3f2a9c1b7d.js"), "/assets/main.3f2a9c1b7d.js");
  assert.equal(assets.url("app-5KVBQZ2A.js"), "/assets/app-5KVBQZ2A.js");
  for (const name of ["photo-HOLIDAY2.jpg", "index-DiwrgTda.js"] as const) {
    assert.ok(assets.url(name).includes(`.${fingerprintOf(files[name])}.`), name);
  }
  assert.equal(assets.url("report-20240506.pdf"), `/assets/report-20240506.${fingerprintOf("a date")}.pdf`);
  assert.equal(assets.url("old-facadefacade.js"), `/assets/old-facadefacade.${fingerprintOf("a word")}.js`);
});

test("a missing asset is an error with its name, the folder and the nearest name", () => {
  assert.throws(() => assets.url("blgo.css"), {
    name: "Error",
    message: `There is no asset "blgo.css" in ${root}/. Did you mean "blog.css"?`,
  });
  assert.throws(() => assets.url("/blog.css"), /Did you mean "blog\.css"\?$/);
  assert.throws(() => assets.url("quite-another-thing.woff2"), { message: /thing\.woff2" in .*public\/\.$/ });
  for (const name of ["", ".env", ".git/config", "../secret.txt", "out.txt", "old/secret.txt", "folder", "pipe.txt"]) {
    assert.throws(() => assets.url(name), /There is no asset/, name);
    assert.throws(() => createAssets(root, { development: true }).url(name), /There is no asset/, name);
  }
});

const get = async (call: Call, path: string, headers: Record<string, string> = {}) => {
  const response = await call("GET", path, { headers });
  return { status: response.status, cache: response.headers.get("cache-control"), text: await response.text() };
};

testOnBothTransports("a fingerprinted name is served, and cached for a year", assets.routes, async (call) => {
  for (const [name, content] of Object.entries(files)) {
    const response = await call("GET", assets.url(name));
    assert.equal(response.status, 200, name);
    assert.equal(response.headers.get("cache-control"), forever, name);
    assert.ok(Buffer.from(content).equals(Buffer.from(await response.arrayBuffer())), name);
  }
  const css = await call("GET", assets.url("blog.css"));
  assert.equal(css.headers.get("content-type"), "text/css; charset=utf-8");
  assert.equal(css.headers.get("x-content-type-options"), "nosniff");
  await css.body?.cancel();
});

testOnBothTransports("a plain name is served, and revalidated each time", assets.routes, async (call) => {
  assert.deepEqual(await get(call, "/assets/blog.css"), { status: 200, cache: askAgain, text: files["blog.css"] });
  for (const name of ["report-20240506.pdf", "old-facadefacade.js", "img/deep/logo.png"]) {
    assert.equal((await get(call, `/assets/${name}`)).cache, askAgain, name);
  }
});

testOnBothTransports(
  "the fingerprint of another version serves the current file, without long caching",
  assets.routes,
  async (call) => {
    const response = await get(call, "/assets/blog.0123456789.css");
    assert.deepEqual(response, { status: 200, cache: askAgain, text: files["blog.css"] });
    for (const path of [
      "/assets/blog.012345678.css",
      "/assets/blog.0123456789AB.css",
      "/assets/other.0123456789.css",
    ]) {
      assert.equal((await get(call, path)).status, 404, path);
    }
  },
);

testOnBothTransports("ETag, ranges and HEAD work under both names", assets.routes, async (call) => {
  for (const path of ["/assets/large.bin", assets.url("large.bin")]) {
    const part = await call("GET", path, { headers: { range: "bytes=10-14" } });
    assert.deepEqual([part.status, await part.text()], [206, "01234"]);
    const head = await call("HEAD", path);
    assert.deepEqual([head.status, head.headers.get("content-length")], [200, "200000"]);
    const unchanged = await call("GET", path, { headers: { "if-none-match": head.headers.get("etag") ?? "" } });
    assert.equal(unchanged.status, 304);
  }
});

test("names that match `immutable` are not changed", async () => {
  const vite = createAssets(root, { immutable: /-[\w-]{8}\.js$/ });
  assert.equal(vite.url("index-DiwrgTda.js"), "/assets/index-DiwrgTda.js");
  assert.match(vite.url("app.js"), /^\/assets\/app\.[0-9a-f]{10}\.js$/);
});

testOnBothTransports(
  "the ETag is made of the content, whenever and wherever the file was written",
  assets.routes,
  async (call) => {
    const etag = `"${fingerprintOf(files["blog.css"])}"`;
    for (const path of ["/assets/blog.css", assets.url("blog.css"), "/assets/blog.0123456789.css"]) {
      const response = await call("GET", path);
      assert.equal(response.headers.get("etag"), etag, path);
      await response.body?.cancel();
      assert.equal((await call("GET", path, { headers: { "if-none-match": etag } })).status, 304, path);
    }
  },
);

testOnBothTransports(
  "hidden files, files outside the folder and directories are 404, with a fingerprint too (K16)",
  assets.routes,
  async (call, app) => {
    const secret = fingerprintOf("secret");
    for (const path of [
      "/assets/.env",
      `/assets/.env.${secret}`,
      `/assets/.${secret}.env`,
      `/assets/.git/config.${secret}`,
      "/assets/out.txt",
      `/assets/out.${secret}.txt`,
      `/assets/old/secret.${secret}.txt`,
      "/assets/folder",
      `/assets/folder.${secret}`,
      `/assets/pipe.${secret}.txt`,
      `/assets/loop.${secret}.txt`,
      `/assets/..%2Fsecret.${secret}.txt`,
      `/assets/..%5Csecret.${secret}.txt`,
      `/assets/img%2Fdeep%2Flogo.${fingerprintOf("png")}.png`,
      "/assets/",
    ]) {
      const response = await get(call, path);
      assert.deepEqual([response.status, response.text], [404, '{"error":"Not Found"}'], path);
      assert.equal(response.cache, null, path);
    }
    assert.equal((await get(call, `/assets/blog%00.${secret}.css`)).status, 400);
    const { port } = await app.listen({ port: 0, signals: false });
    for (const path of [`/assets/../secret.${secret}.txt`, `/assets/%2e%2e/secret.${secret}.txt`]) {
      const { status, text } = await sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      assert.ok(status === 404 || status === 400, `${path} gave ${status}`);
      assert.ok(!text.includes("\r\n\r\nsecret"), path);
    }
  },
);

const changing = createFolder({ "a.css": "one", "b.css": "b", "gone.css": "gone" });
const production = createAssets(changing);
const development = createAssets(changing, { development: true });

testOnBothTransports(
  "in production a file that changes on disk keeps its URL and loses its long caching",
  production.routes,
  async (call) => {
    write(join(changing, "a.css"), "one");
    const fresh = createAssets(changing);
    const url = fresh.url("a.css");
    assert.equal((await get(call, url)).text, "one");
    write(join(changing, "a.css"), "two");
    assert.equal(production.url("a.css"), `/assets/a.${fingerprintOf("one")}.css`);
    assert.deepEqual(await get(call, url), { status: 200, cache: askAgain, text: "two" });
    const ofTheNewContent = await get(call, `/assets/a.${fingerprintOf("two")}.css`);
    assert.deepEqual([ofTheNewContent.text, ofTheNewContent.cache], ["two", askAgain]);
    assert.equal((await get(call, production.url("b.css"))).cache, forever, "others keep theirs");
  },
);

testOnBothTransports("in development a changed file gets a new URL at once", development.routes, async (call) => {
  const path = join(changing, "a.css");
  for (const content of ["three", "four", "five", "three"]) {
    write(path, content);
    const url = `/assets/a.${fingerprintOf(content)}.css`;
    assert.equal(development.url("a.css"), url);
    assert.deepEqual(await get(call, url), { status: 200, cache: forever, text: content });
  }
  assert.deepEqual(await get(call, `/assets/a.${fingerprintOf("four")}.css`), {
    status: 200,
    cache: askAgain,
    text: "three",
  });
  write(path, "six");
  const asked = await get(call, `/assets/a.${fingerprintOf("six")}.css`);
  assert.deepEqual([asked.cache, asked.text], [forever, "six"], "requested before its URL was written");
});

test("in development a file that is replaced by one of the same size and time gets a new URL", () => {
  const path = join(changing, "b.css");
  const time = new Date("2024-01-01T00:00:00Z");
  for (const content of ["x", "y", "z"]) {
    writeFileSync(`${path}.new`, content);
    utimesSync(`${path}.new`, time, time);
    renameSync(`${path}.new`, path);
    assert.equal(development.url("b.css"), `/assets/b.${fingerprintOf(content)}.css`);
  }
});

test("in development files may be added and removed", () => {
  assert.throws(() => development.url("new.css"), /There is no asset "new\.css"/);
  write(join(changing, "new.css"), "new");
  assert.equal(development.url("new.css"), `/assets/new.${fingerprintOf("new")}.css`);
  assert.match(development.url("gone.css"), /gone\.[0-9a-f]{10}\.css$/);
  rmSync(join(changing, "gone.css"));
  assert.throws(() => development.url("gone.css"), /There is no asset "gone\.css"/);
  rmSync(join(changing, "new.css"));
});

test("in development the whole folder may be removed and written again, as bundlers do", () => {
  const folder = createFolder({ "a.css": "a" });
  const bundled = createAssets(folder, { development: true });
  rmSync(folder, { recursive: true });
  assert.throws(() => bundled.url("a.css"), /There is no asset "a\.css"/);
  mkdirSync(folder);
  write(join(folder, "a.css"), "b");
  assert.equal(bundled.url("a.css"), `/assets/a.${fingerprintOf("b")}.css`);
});

test("an asset fails with EMFILE when no more files can be opened, and is not reported as missing", () => {
  const folder = createFolder({ "a.css": "a" });
  const fixture = fileURLToPath(new URL("../fixtures/out-of-descriptors.ts", import.meta.url));
  const node = [
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    "--conditions=@tenon/source",
    fixture,
    folder,
  ];
  const [full, later] = execFileSync("sh", ["-c", 'ulimit -n 100 && exec "$0" "$@"', ...node], {
    encoding: "utf8",
  }).split("\n");
  assert.match(full ?? "", /^Error: EMFILE: too many open files/);
  assert.match(later ?? "", /^Error: There is no asset "late\.css"/);
});

test("a linked directory has no fingerprints, not even one that leads back to its parent", () => {
  const folder = createFolder({ "a.css": "a", "sub/b.css": "b" });
  symlinkSync(folder, join(folder, "again"));
  const names = createAssets(folder);
  assert.match(names.url("sub/b.css"), /^\/assets\/sub\/b\./);
  assert.throws(() => names.url("again/a.css"), /There is no asset/);
});

test("a folder is a path or a file: URL, and one that is not there stops the start", () => {
  assert.equal(createAssets(pathToFileURL(root)).url("app.js"), assets.url("app.js"));
  const cases: [string, RegExp][] = [
    [join(root, "nowhere"), /^The assets folder ".*nowhere" is not a directory\.$/],
    [join(root, "app.js"), /is not a directory/],
  ];
  for (const [folder, message] of cases) {
    assert.throws(() => createAssets(folder), { name: "StartError", message });
  }
});
