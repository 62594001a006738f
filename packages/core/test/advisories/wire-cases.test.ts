import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { api, type Context } from "@tenon/core";
import { createTestApp, type TestHttpApp } from "@tenon/core/testing";
import { anything } from "../support/anything.ts";
import { LogLines } from "../support/log-lines.ts";
import { moduleOf } from "../support/transports.ts";
import { parseResponses, RawClient } from "../support/wire.ts";
import { get, type WireCase } from "../support/wire-case.ts";
import { wireCases } from "./wire-cases.ts";

const routes = [
  {
    method: "GET" as const,
    path: "/posts",
    handler: (ctx: Context) => {
      ctx.request().queries();
      return ctx.header("authorization");
    },
  },
  {
    method: "POST" as const,
    path: "/auth/refresh",
    handler: async (ctx: Context) => {
      if (ctx.header("content-type") !== "") await ctx.bind(anything);
      return Buffer.from(await ctx.request().body()).toString("latin1");
    },
  },
];
class Server {
  readonly log = new LogLines();
  #app: TestHttpApp | undefined;
  #port = 0;

  async start(waits: number | undefined): Promise<void> {
    const limits = waits === undefined ? {} : { headerTimeout: waits, requestTimeout: waits, bodyTimeout: waits };
    this.#app = await createTestApp(moduleOf(routes), api({ limits }), { log: this.log.options });
    this.#port = (await this.#app.listen({ port: 0, signals: false })).port;
  }

  async stop(): Promise<void> {
    await this.#app?.stop();
  }

  async check({ bytes, expect }: WireCase): Promise<void> {
    const client = new RawClient(this.#port);
    try {
      client.send(Buffer.from(bytes, "latin1"));
      if (expect.connection === "closed") await client.untilClosed();
      else await client.responses(expect.statuses.length);
      const responses = parseResponses(client.text);
      assert.deepEqual(
        responses.map((response) => response.status),
        expect.statuses,
      );
      if (expect.body !== undefined) assert.equal(responses.at(-1)?.body, expect.body);
      for (const { status, body } of responses) {
        if (status >= 400) assert.deepEqual(Object.keys(JSON.parse(body)), ["error"]);
      }
      const last = responses.at(-1);
      if (expect.connection === "closed" && last !== undefined && last.status >= 400) {
        assert.equal(last.headers.get("connection"), "close");
      }
      const next = expect.connection === "open" ? client : new RawClient(this.#port);
      if (expect.connection === "open") client.text = "";
      try {
        const [response] = await next.send(get("Authorization: again\r\n")).responses(1);
        assert.deepEqual(
          [response?.status, response?.body],
          [200, '"again"'],
          "the next request is read as it was sent",
        );
      } finally {
        next.socket.destroy();
      }
    } finally {
      client.socket.destroy();
    }
  }
}

/** Runs all wire cases of the id at the end of the name, for example `(H3, Node CVE-2021-22959)`. */
function describeOnWire(name: string, waits?: number): void {
  const id = /\((H\d+)(?:, [^()]*)?\)$/.exec(name)?.[1];
  const cases = wireCases.filter((wireCase) => wireCase.id === id);
  described.push(...cases);
  describe(name, { concurrency: true }, () => {
    const server = new Server();
    before(() => server.start(waits));
    after(async () => {
      await server.stop();
      assert.deepEqual(server.log.messages("error"), []);
    });
    for (const wireCase of cases) test(`${wireCase.title} (${id})`, () => server.check(wireCase));
  });
}
const described: WireCase[] = [];

describeOnWire(
  "chunks are read however they are announced, and the bytes after them are the next request (H1, h3 CVE-2026-23527)",
);
describeOnWire(
  "a message has one unambiguous end (H2, Node CVE-2019-15605, CVE-2022-32214, CVE-2024-27982, CVE-2025-23167)",
);
describeOnWire("malformed chunks are refused (H3, Node CVE-2021-22959, Kestrel CVE-2025-55315, Netty CVE-2025-58056)");
describeOnWire("chunk extensions have a limit (H4, Node CVE-2024-22019)");
describeOnWire("headers past the limit are refused, and none is dropped silently (H5, Node CVE-2026-58044)");
describeOnWire("headers may be named after Object.prototype (H6, Node CVE-2026-21710)");
describeOnWire(
  "a request that never ends is 408 (H7, Node CVE-2018-12121, CVE-2019-5737, CVE-2020-8251, CVE-2021-22883)",
  1500, // long enough for the other requests of this server on a busy machine
);
describeOnWire("names that look like numbers are read like any other (H8, Node CVE-2025-27209, CVE-2026-21717)");
describeOnWire("a body that nests too deeply is refused before any recursion (H9, Node CVE-2025-59466)");
describeOnWire("chunked is the only Transfer-Encoding, in one spelling (H10, tinyproxy CVE-2026-54387)");
describeOnWire("single-value headers are refused when repeated (H11, Node CVE-2020-8287)");
describeOnWire("a Host is a host and a port (H12, Koa CVE-2026-27959, h3 2b59a3aa, chi GHSA-vrw8-fxc6-2r93)");
describeOnWire("a Host that no URL can have is refused (H13, @hono/node-server CVE-2024-32652)");
describeOnWire("expectations, methods and versions get the status that RFC 9110 requires (H15, RFC 9110)");
describeOnWire("an upgrade without a listener gets a plain HTTP response (H16)");
describeOnWire("responses keep the order of their requests, and nothing is handled after a malformed one (H17)");

test("there are at least 120 wire cases, and each of them runs (W1)", () => {
  assert.ok(wireCases.length >= 120, `${wireCases.length}`);
  assert.deepEqual(
    described,
    wireCases.toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1))),
  );
  const titles = wireCases.map(({ id, title }) => `${id} ${title}`);
  assert.equal(new Set(titles).size, titles.length);
});
