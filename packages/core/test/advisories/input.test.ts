import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Context, dto, string } from "@tenon/core";
import { isMediaType } from "../../../server/src/request/grammar.ts";
import { isPlainHost } from "../../../server/src/request/inspect.ts";
import { ProxyTrust } from "../../../server/src/request/proxy.ts";
import { parseCookies } from "../../src/body/cookies.ts";
import { parseQuery } from "../../src/body/query.ts";
import { parseRange } from "../../src/middleware/file-chunks.ts";
import { chooseEncoding } from "../../src/middleware/negotiation.ts";
import { networkOf } from "../../src/middleware/rate-limit.ts";
import { splitPath } from "../../src/route/router.ts";
import { anything } from "../support/anything.ts";
import { runFixture } from "../support/run-fixture.ts";
import { testOnBothTransports } from "../support/transports.ts";

const repeats = {
  method: "POST" as const,
  path: "/",
  handler: (ctx: Context) => ctx.bind(dto({ email: string("email"), url: string("url"), uuid: string("uuid") })),
};

testOnBothTransports(
  "the same input gets the same result each time (B3, Fastify 16a74e7cb, fast-jwt CVE-2026-35040)",
  [repeats],
  async (call) => {
    const post = async (body: object) => {
      const headers = { "content-type": "application/json" };
      return (await call("POST", "/", { headers, body: JSON.stringify(body) })).status;
    };
    const uuid = "3f2a9c1b-7d4e-4f5a-8b6c-0d1e2f3a4b5c";
    for (let round = 0; round < 4; round++) {
      assert.equal(await post({ email: "a@example.com", url: "https://example.com/", uuid }), 200);
      for (const wrong of [{ email: "a@" }, { url: "ftp://a" }, { uuid: `${uuid}0` }]) {
        assert.equal(await post(wrong), 400);
      }
    }
  },
);

test("no regular expression keeps state between calls (B3, Fastify 16a74e7cb, fast-jwt CVE-2026-35040)", () => {
  const packages = fileURLToPath(new URL("../../..", import.meta.url));
  const files = globSync("{core,data,auth}/src/**/*.ts", { cwd: packages });
  assert.ok(files.length > 100);
  for (const file of files) {
    const text = readFileSync(join(packages, file), "utf8");
    // a literal, or RegExp("…", "g"); replaceAll and matchAll start anew on each call and need the flag
    for (const match of text.matchAll(
      /(?<call>\w*)\((?<literal>\/(?![/*])(?:\\.|\[[^\]\n]*\]|[^/\n\\])+\/)(?<flags>[dimsuv]*[gy]\w*)/g,
    )) {
      assert.match(match.groups?.call ?? "", /^(?:replaceAll|replace|matchAll)$/, `${file}: ${match[0]}`);
    }
    assert.doesNotMatch(text, /= \/(?![/*])(?:\\.|\[[^\]\n]*\]|[^/\n\\])+\/[dimsuv]*[gy]/, file);
    assert.doesNotMatch(text, /RegExp\([^\n]*, "[a-z]*[gy]/, file);
  }
});

const query = { method: "GET" as const, path: "/", handler: (ctx: Context) => ctx.request().queries() };

testOnBothTransports(
  "a query is flat, and has at most a thousand pairs (B5, body-parser CVE-2024-45590, CVE-2025-13466, qs CVE-2025-15284, CVE-2026-2391)",
  [query],
  async (call) => {
    const read = async (search: string) => {
      const response = await call("GET", `/?${search}`);
      return response.status === 200 ? await response.json() : response.status;
    };
    assert.deepEqual(await read("a[b][c]=1&a[b][d]=2&e[]=3&e[]=4&f=5,6&g.h=7"), {
      "a[b][c]": "1",
      "a[b][d]": "2",
      "e[]": "3",
      f: "5,6",
      "g.h": "7",
    });
    assert.equal(Object.keys((await read("a[]=&".repeat(1000))) as object).length, 1);
    assert.equal(await read("a[]=&".repeat(1001)), 400);
  },
);

const maps = {
  method: "POST" as const,
  path: "/:constructor/:toString",
  handler: async (ctx: Context) => {
    const maps = [ctx.request().params(), ctx.request().queries(), ctx.request().headers()];
    const bound = await ctx.bind(dto({ name: string(), constructor: string(), toString: string() }));
    return {
      prototypes: maps.map((map) => Object.getPrototypeOf(map)),
      bound: Object.entries(bound),
      inherited: Object.getPrototypeOf(bound) === Object.prototype,
      cookie: ctx.cookie("__proto__"),
    };
  },
};

testOnBothTransports(
  "no input reaches a prototype (B7, Elysia CVE-2026-31865, Adonis CVE-2026-25754, multiparty CVE-2026-8161)",
  [
    maps,
    {
      method: "POST" as const,
      path: "/any",
      handler: async (ctx: Context) => Object.assign({}, await ctx.bind(anything)),
    },
  ],
  async (call) => {
    const pollution = '{"x":1,"polluted":true}';
    const body = `{"__proto__":${pollution},"constructor":{"prototype":${pollution}},"name":"Ada"}`;
    const headers = { "content-type": "application/json", cookie: "__proto__=x; constructor=y" };
    const search = "?__proto__[polluted]=1&__proto__=x&constructor.prototype.polluted=1&constructor=y";
    const wrong = await call("POST", `/a/b${search}`, { headers, body });
    assert.equal(wrong.status, 400, "constructor is not a string");
    const right = await call("POST", `/a/b${search}`, { headers, body: `{"__proto__":${pollution},"name":"Ada"}` });
    assert.deepEqual(await right.json(), {
      prototypes: [null, null, null],
      bound: [["name", "Ada"]],
      inherited: true,
      cookie: "x",
    });
    const any = await call("POST", "/any", { headers, body });
    assert.deepEqual(await any.json(), { constructor: { prototype: { x: 1, polluted: true } }, name: "Ada" });
    for (const name of ["x", "polluted"]) assert.equal(name in {}, false);
  },
);

const texts = dto({
  email: string("email"),
  url: string("url"),
  uuid: string("uuid"),
  least: string("min=3", "max=9"),
});
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  rules: (text) => texts["~standard"].validate({ email: text, url: text, uuid: text, least: text }),
  Host: isPlainHost,
  "Content-Type": isMediaType,
  Cookie: parseCookies,
  Range: (text) => parseRange(text, 1000),
  "Accept-Encoding": (text) => chooseEncoding(text, ["br", "gzip"]),
  "X-Forwarded-For": (text) =>
    new ProxyTrust(["127.0.0.1"]).resolve({ address: "127.0.0.1", protocol: "http", host: "" }, () => text),
  query: (text) => refused(() => parseQuery(text, 1000)),
  path: (text) => refused(() => splitPath(`/${text}`, false)),
  address: networkOf,
};

function refused(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

// one that needs quadratic time takes longer for a text than the five minutes after which the runner ends a silent process
test("every check of 512 KB of text ends (B8, Elysia CVE-2026-30837, Hono CVE-2026-69207, Koa CVE-2025-25200)", () => {
  const pieces = [...' a-,@%\t;=.:/"0', "a@", "a.", "a=", "=;", ", ", "; a=b", "%41", "1,"];
  for (const read of Object.values(readers)) {
    for (const piece of pieces) {
      for (const end of ["!", "@a"]) read(piece.repeat(Math.ceil(524_288 / piece.length)) + end);
    }
  }
});

test("an application runs where code generation from strings is disabled (B9, Elysia CVE-2025-66457)", async () => {
  const { code, stdout, stderr } = await runFixture("without-code-from-text.ts", [], {
    NODE_OPTIONS: "--disallow-code-generation-from-strings",
  });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.match(stdout, /^200 \{"email":"a@example\.com","id":"1","q":"2"\} a=1; Path=\//);
});
