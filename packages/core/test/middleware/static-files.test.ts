import assert from "node:assert/strict";
import { rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, mock, test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  brotliCompressSync,
  brotliDecompressSync,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from "node:zlib";
import { type Routes, route } from "@tenon/core";
import { compress, type StaticFilesOptions, staticFiles } from "@tenon/core/middleware";
import { createSite, modified } from "../../../web/test/support/site.ts";
import { openFilesBelow } from "../support/open-files.ts";
import { testOnBothTransports } from "../support/transports.ts";
import { testUndecoded } from "../support/undecoded.ts";

const large = Buffer.alloc(300_000, "0123456789");
const css = "body { color: red }\n".repeat(100);
const site = createSite({
  "a.txt": "0123456789",
  "empty.txt": "",
  "style.css": css,
  "app.js": "1",
  "DATA.JSON": "{}",
  "image.png": "png",
  "page.HTML": "<p>",
  "no-extension": "x",
  "model.glb": "glb",
  "deep/er/b.txt": "b",
  "folder/index.html": "<h1>index</h1>",
  "assets/app-9f8e7d.js": "hashed",
  "ünïcode name.txt": "u",
  "large.bin": large,
  "all.css": css,
  "all.css.br": brotliCompressSync(css),
  "all.css.zst": zstdCompressSync(css),
  "all.css.gz": gzipSync(css),
  "one.css": css,
  "one.css.gz": gzipSync(css),
  "earlier.css": css,
  "earlier.css.br": brotliCompressSync("of an earlier version"),
  "earlier.css.gz": gzipSync(css),
  "outside.css": css,
  "directory.css": css,
  "directory.css.br/x": "x",
  "empty.css": css,
  "empty.css.br": "",
});
utimesSync(join(site.root, "earlier.css.br"), modified, new Date(modified.getTime() - 1));
symlinkSync(join(site.root, "../secret.txt"), join(site.root, "outside.css.br"));
after(site.remove);

function serve(options?: StaticFilesOptions): Routes {
  return [{ method: "GET", path: "/assets/*", handler: staticFiles(site.root, options) }];
}

testOnBothTransports(
  "a file is served whole, with its type, its length and what caches need",
  serve(),
  async (call) => {
    const res = await call("GET", "/assets/a.txt");
    assert.equal(res.status, 200);
    assert.equal(await res.text(), "0123456789");
    assert.equal(res.headers.get("content-type"), "text/plain; charset=utf-8");
    assert.equal(res.headers.get("content-length"), "10");
    assert.equal(res.headers.get("last-modified"), "Mon, 06 May 2024 07:08:09 GMT");
    assert.match(res.headers.get("etag") ?? "", /^"[0-9a-z]+-[0-9a-z]+"$/);
    assert.equal(res.headers.get("cache-control"), "public, max-age=0");
    assert.equal(res.headers.get("accept-ranges"), "bytes");
    assert.equal(res.headers.get("x-content-type-options"), "nosniff");
  },
);

testOnBothTransports("files of any size and depth are served byte by byte", serve(), async (call) => {
  const big = await call("GET", "/assets/large.bin");
  assert.equal(big.headers.get("content-length"), "300000");
  assert.ok(large.equals(Buffer.from(await big.arrayBuffer())));
  const empty = await call("GET", "/assets/empty.txt");
  assert.equal(empty.status, 200);
  assert.equal(empty.headers.get("content-length"), "0");
  assert.equal(await empty.text(), "");
  assert.equal(await (await call("GET", "/assets/deep/er/b.txt")).text(), "b");
  assert.equal(await (await call("GET", "/assets/%C3%BCn%C3%AFcode%20name.txt?v=1")).text(), "u");
  assert.equal(await (await call("GET", "/assets/link.txt")).text(), "inside");
});

testOnBothTransports(
  "the extension decides the content type",
  serve({ types: { glb: "model/gltf-binary", txt: "text/x-notes" } }),
  async (call) => {
    const types: Record<string, string> = {
      "style.css": "text/css; charset=utf-8",
      "app.js": "text/javascript; charset=utf-8",
      "DATA.JSON": "application/json; charset=utf-8",
      "image.png": "image/png",
      "page.HTML": "text/html; charset=utf-8",
      "no-extension": "application/octet-stream",
      "model.glb": "model/gltf-binary",
      "a.txt": "text/x-notes",
      "large.bin": "application/octet-stream",
    };
    for (const [name, type] of Object.entries(types)) {
      const res = await call("GET", `/assets/${name}`);
      assert.equal(res.headers.get("content-type"), type, name);
      await res.arrayBuffer();
    }
  },
);

testOnBothTransports(
  "paths that hold a hash are kept for a year, the others as long as the options say",
  serve({ maxAge: 60, immutable: /^assets\// }),
  async (call) => {
    const hashed = await call("GET", "/assets/assets/app-9f8e7d.js");
    assert.equal(hashed.headers.get("cache-control"), "public, max-age=31536000, immutable");
    const plain = await call("GET", "/assets/a.txt");
    assert.equal(plain.headers.get("cache-control"), "public, max-age=60");
  },
);

testOnBothTransports("HEAD has the headers of GET and no body", serve(), async (call) => {
  const head = await call("HEAD", "/assets/large.bin");
  const get = await call("GET", "/assets/large.bin");
  await get.arrayBuffer();
  assert.equal(head.status, 200);
  assert.equal(await head.text(), "");
  for (const name of ["content-type", "content-length", "etag", "last-modified", "cache-control", "accept-ranges"]) {
    assert.equal(head.headers.get(name), get.headers.get(name), name);
  }
  assert.equal((await call("HEAD", "/assets/nothing.txt")).status, 404);
  const part = await call("HEAD", "/assets/a.txt", { headers: { range: "bytes=0-1" } });
  assert.deepEqual([part.status, part.headers.get("content-length")], [200, "10"], "a range is ignored");
});

testOnBothTransports("a client with a current copy gets 304 and no body", serve(), async (call) => {
  const first = await call("GET", "/assets/a.txt");
  const etag = first.headers.get("etag") ?? "";
  const lastModified = first.headers.get("last-modified") ?? "";
  const good: Record<string, string>[] = [
    { "if-none-match": etag },
    { "if-none-match": `W/${etag}` },
    { "if-none-match": `"x", ${etag} ,"y"` },
    { "if-none-match": "*" },
    { "if-modified-since": lastModified },
    { "if-modified-since": "Tue, 07 May 2024 00:00:00 GMT" },
    { "if-none-match": etag, "if-modified-since": "Thu, 01 Jan 1970 00:00:00 GMT" },
    { "if-none-match": etag, range: "bytes=0-1" },
  ];
  for (const method of ["GET", "HEAD"]) {
    for (const headers of good) {
      const res = await call(method, "/assets/a.txt", { headers });
      assert.equal(res.status, 304, JSON.stringify(headers));
      assert.equal(await res.text(), "");
      assert.equal(res.headers.get("etag"), etag);
      assert.equal(res.headers.get("last-modified"), lastModified);
      assert.equal(res.headers.get("cache-control"), "public, max-age=0");
    }
  }
});

testOnBothTransports("a client with any other copy gets the file", serve(), async (call) => {
  const lastModified = modified.toUTCString();
  const bad: Record<string, string>[] = [
    { "if-none-match": '"x"' },
    { "if-none-match": "x".repeat(5000) },
    { "if-none-match": '"x"', "if-modified-since": lastModified },
    { "if-modified-since": "Mon, 06 May 2024 07:08:08 GMT" },
    { "if-modified-since": "yesterday" },
  ];
  for (const headers of bad) {
    const res = await call("GET", "/assets/a.txt", { headers });
    assert.equal(res.status, 200, JSON.stringify(headers));
    assert.equal(await res.text(), "0123456789");
  }
});

testOnBothTransports(
  "a change of the file changes its ETag, even within one second and at one size",
  serve(),
  async (call) => {
    const path = join(site.root, "changing.txt");
    const tags = new Set<string | null>();
    for (const [content, seconds] of [
      ["aa", 100.1],
      ["bb", 100.2],
      ["ccc", 100.2],
    ] as const) {
      writeFileSync(path, content);
      utimesSync(path, seconds, seconds);
      const res = await call("GET", "/assets/changing.txt");
      assert.equal(await res.text(), content);
      tags.add(res.headers.get("etag"));
    }
    assert.equal(tags.size, 3);
  },
);

testOnBothTransports("one range gets 206", serve(), async (call) => {
  const cases: [string, string, string][] = [
    ["bytes=2-4", "234", "bytes 2-4/10"],
    ["bytes=7-", "789", "bytes 7-9/10"],
    ["bytes=-2", "89", "bytes 8-9/10"],
    ["bytes=5-100", "56789", "bytes 5-9/10"],
  ];
  for (const [range, text, contentRange] of cases) {
    const res = await call("GET", "/assets/a.txt", { headers: { range } });
    assert.equal(res.status, 206);
    assert.equal(await res.text(), text);
    assert.equal(res.headers.get("content-range"), contentRange);
    assert.equal(res.headers.get("content-length"), String(text.length));
  }
  const across = await call("GET", "/assets/large.bin", { headers: { range: "bytes=65530-200000" } });
  assert.ok(large.subarray(65_530, 200_001).equals(Buffer.from(await across.arrayBuffer())));
});

testOnBothTransports("a range past the end gets 416 and the size", serve(), async (call) => {
  const res = await call("GET", "/assets/a.txt", { headers: { range: "bytes=10-" } });
  assert.equal(res.status, 416);
  assert.equal(res.headers.get("content-range"), "bytes */10");
  assert.deepEqual(await res.json(), { error: "Range Not Satisfiable" });
  assert.equal(res.headers.get("etag"), null);
});

testOnBothTransports("If-Range gives the part only to a client with the same bytes", serve(), async (call) => {
  const first = await call("GET", "/assets/a.txt");
  const etag = first.headers.get("etag") ?? "";
  const statusFor = async (ifRange: string) =>
    (await call("GET", "/assets/a.txt", { headers: { range: "bytes=0-1", "if-range": ifRange } })).status;
  assert.equal(await statusFor(etag), 206);
  assert.equal(await statusFor(first.headers.get("last-modified") ?? ""), 206);
  assert.equal(await statusFor(`W/${etag}`), 200);
  assert.equal(await statusFor('"x"'), 200);
  assert.equal(await statusFor("Tue, 07 May 2024 00:00:00 GMT"), 200);
});

testOnBothTransports(
  "a directory with a trailing slash shows its index where the options name one",
  [...serve({ index: "index.html" }), { method: "GET", path: "/plain/*", handler: staticFiles(site.root) }],
  async (call) => {
    const res = await call("GET", "/assets/folder/");
    assert.equal(await res.text(), "<h1>index</h1>");
    assert.equal(res.headers.get("content-type"), "text/html; charset=utf-8");
    for (const path of ["/assets/folder", "/assets/", "/assets/deep/", "/assets/a.txt/", "/plain/folder/", "/plain/"]) {
      assert.equal((await call("GET", path)).status, 404, path);
    }
  },
);

testOnBothTransports(
  "as a middleware it calls the handler when there is no such file",
  [
    {
      method: "GET",
      path: "/app/*",
      middlewares: [staticFiles(pathToFileURL(site.root))],
      handler: (ctx) => ({ page: ctx.rest() }),
    },
    { method: "POST", path: "/app/*", middlewares: [staticFiles(site.root)], handler: () => ({ posted: true }) },
    { method: "GET", path: "/fixed", middlewares: [staticFiles(site.root)], handler: () => ({ fixed: true }) },
  ],
  async (call) => {
    assert.equal(await (await call("GET", "/app/a.txt")).text(), "0123456789");
    const page = await call("GET", "/app/users/1");
    assert.deepEqual(await page.json(), { page: ["users", "1"] });
    assert.equal(page.headers.get("cache-control"), null);
    assert.deepEqual(await (await call("GET", "/app/.env")).json(), { page: [".env"] });
    assert.deepEqual(await (await call("POST", "/app/a.txt")).json(), { posted: true });
    assert.deepEqual(await (await call("GET", "/fixed")).json(), { fixed: true });
  },
);

testOnBothTransports(
  "as a handler it may have a contract",
  [route.get("/docs/*", { summary: "A file", hidden: true }, staticFiles(site.root))],
  async (call) => {
    assert.equal(await (await call("GET", "/docs/a.txt")).text(), "0123456789");
    assert.equal((await call("GET", "/docs/nothing.txt")).status, 404);
  },
);

testUndecoded(
  "with compression in front, text is compressed and parts are not",
  serve(),
  async (call) => {
    const headers = { "accept-encoding": "gzip" };
    const get = await call("GET", "/assets/style.css", { headers });
    assert.equal(get.headers.get("content-encoding"), "gzip");
    assert.equal(gunzipSync(Buffer.from(await get.arrayBuffer())).toString(), css);
    const etag = get.headers.get("etag") ?? "";
    assert.match(etag, /^W\/"/);
    const head = await call("HEAD", "/assets/style.css", { headers });
    assert.equal(head.headers.get("content-encoding"), "gzip");
    assert.equal(head.headers.get("content-length"), null);
    const again = await call("GET", "/assets/style.css", { headers: { ...headers, "if-none-match": etag } });
    assert.equal(again.status, 304);
    assert.equal(again.headers.get("vary"), "Accept-Encoding");
    const part = await call("GET", "/assets/style.css", { headers: { ...headers, range: "bytes=0-1099" } });
    assert.equal(part.status, 206);
    assert.equal(part.headers.get("content-encoding"), null);
    assert.equal(await part.text(), css.slice(0, 1100));
  },
  { middlewares: [compress()] },
);

const decoders = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync };

function decode(encoding: string, bytes: Uint8Array): string {
  return decoders[encoding as keyof typeof decoders](bytes).toString(); // the tests name no other
}

testUndecoded("a compressed variant beside a file is sent to clients that prefer it", serve(), async (call) => {
  const cases: [name: string, accepted: string, encoding: string | null][] = [
    ["all.css", "gzip, deflate, br, zstd", "br"],
    ["all.css", "gzip, zstd", "zstd"],
    ["all.css", "gzip", "gzip"],
    ["all.css", "", null],
    ["one.css", "br, gzip;q=0.1", "gzip"],
    ["one.css", "br", null],
    ["earlier.css", "br, gzip;q=0.1", "gzip"],
    ["earlier.css", "br", null],
  ];
  const etags = new Map<string, string | null>();
  for (const [name, accepted, encoding] of cases) {
    const label = `${name}, ${accepted}`;
    const init = { headers: { "accept-encoding": accepted } };
    const res = await call("GET", `/assets/${name}`, init);
    const bytes = Buffer.from(await res.arrayBuffer());
    assert.equal(res.status, 200, label);
    assert.equal(res.headers.get("content-encoding"), encoding, label);
    assert.equal(res.headers.get("content-type"), "text/css; charset=utf-8");
    assert.equal(res.headers.get("content-length"), String(bytes.byteLength));
    assert.equal(res.headers.get("vary"), "Accept-Encoding", label);
    assert.equal(encoding === null ? bytes.toString() : decode(encoding, bytes), css, label);
    etags.set(`${name} ${encoding}`, res.headers.get("etag"));
    const head = await call("HEAD", `/assets/${name}`, init);
    for (const header of ["content-encoding", "content-type", "content-length", "vary", "etag"]) {
      assert.equal(head.headers.get(header), res.headers.get(header), `${label}: ${header}`);
    }
  }
  const all = [...etags].filter(([key]) => key.startsWith("all.css")).map(([, etag]) => etag);
  assert.equal(new Set(all).size, 4, "each representation has an ETag of its own");
  assert.ok(all.every((etag) => etag?.startsWith('"')));
});

testUndecoded("ranges and conditions apply to the variant", serve(), async (call) => {
  const accepted = { "accept-encoding": "br" };
  const get = (headers: Record<string, string> = {}) => call("GET", "/assets/all.css", { headers });
  const whole = await get(accepted);
  const bytes = Buffer.from(await whole.arrayBuffer());
  const etag = whole.headers.get("etag") ?? "";
  const plain = (await get()).headers.get("etag") ?? "";
  const same = await get({ ...accepted, "if-none-match": etag });
  assert.equal(same.status, 304);
  assert.equal(same.headers.get("vary"), "Accept-Encoding");
  assert.equal(same.headers.get("content-encoding"), null);
  assert.equal((await get({ ...accepted, "if-none-match": plain })).status, 200);
  assert.equal((await get({ "if-none-match": etag })).status, 200);
  const first = await get({ ...accepted, range: "bytes=0-4" });
  const rest = await get({ ...accepted, range: "bytes=5-", "if-range": etag });
  assert.deepEqual([first.status, rest.status], [206, 206]);
  assert.equal(rest.headers.get("content-encoding"), "br");
  assert.equal(rest.headers.get("content-range"), `bytes 5-${bytes.byteLength - 1}/${bytes.byteLength}`);
  assert.ok(Buffer.concat([await first.bytes(), await rest.bytes()]).equals(bytes));
  const other = await get({ range: "bytes=5-", "if-range": etag });
  assert.equal(other.status, 200);
  assert.equal(await other.text(), css);
  const beyond = await get({ ...accepted, range: `bytes=${bytes.byteLength}-` });
  assert.equal(beyond.headers.get("content-range"), `bytes */${bytes.byteLength}`);
  assert.deepEqual(openFilesBelow(site.root), []);
});

testUndecoded("a variant that is empty, a directory or leads out of the root is not sent", serve(), async (call) => {
  for (const name of ["outside.css", "directory.css", "empty.css"]) {
    const res = await call("GET", `/assets/${name}`, { headers: { "accept-encoding": "br" } });
    assert.equal(res.headers.get("content-encoding"), null);
    assert.equal(await res.text(), css);
  }
  assert.equal((await call("GET", "/assets/outside.css.br")).status, 404);
  const itself = await call("GET", "/assets/all.css.br", { headers: { "accept-encoding": "br" } });
  assert.equal(itself.headers.get("content-encoding"), null);
  assert.equal(itself.headers.get("content-type"), "application/octet-stream");
  assert.equal(decode("br", await itself.bytes()), css);
  assert.equal((await call("GET", "/assets/.env", { headers: { "accept-encoding": "br" } })).status, 404);
  assert.deepEqual(openFilesBelow(site.root), []);
});

let now = 0;
testUndecoded("variants that come and go are noticed within ten seconds", serve(), async (call) => {
  const name = "changing.css";
  const variant = join(site.root, `${name}.br`);
  writeFileSync(join(site.root, name), css);
  const encodingOf = async () => {
    const res = await call("GET", `/assets/${name}`, { headers: { "accept-encoding": "br" } });
    const encoding = res.headers.get("content-encoding");
    assert.equal(encoding === null ? await res.text() : decode(encoding, await res.bytes()), css);
    return encoding;
  };
  const clock = mock.method(performance, "now", () => now);
  try {
    now += 10_000;
    assert.equal(await encodingOf(), null);
    writeFileSync(variant, brotliCompressSync(css));
    assert.equal(await encodingOf(), null, "the disk is not asked again for each request");
    now += 10_000;
    assert.equal(await encodingOf(), "br");
    rmSync(variant);
    assert.equal(await encodingOf(), null, "a variant that is gone is never a failure");
  } finally {
    clock.mock.restore();
    rmSync(join(site.root, name));
  }
});

test("a root that is not a directory and options that cannot work stop the start", () => {
  const cases: [string, unknown][] = [
    [join(site.root, "nowhere"), {}],
    [join(site.root, "a.txt"), {}],
    [site.root, { maxAge: -1 }],
    [site.root, { dotfiles: true }],
  ];
  for (const [root, options] of cases) {
    assert.throws(() => staticFiles(root, options as StaticFilesOptions), { name: "StartError" });
  }
});
