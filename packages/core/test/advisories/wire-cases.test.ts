import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { api, type Context } from "@tenon/core";
import { createTestApp, type TestHttpApp } from "@tenon/core/testing";
import { anything } from "../support/anything.ts";
import { LogLines } from "../support/log-lines.ts";
import { moduleOf } from "../support/transports.ts";
import { parseReplies, RawClient } from "../support/wire.ts";
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
      else await client.replies(expect.statuses.length);
      const replies = parseReplies(client.text);
      assert.deepEqual(
        replies.map((reply) => reply.status),
        expect.statuses,
      );
      if (expect.body !== undefined) assert.equal(replies.at(-1)?.body, expect.body);
      for (const { status, body } of replies) {
        if (status >= 400) assert.deepEqual(Object.keys(JSON.parse(body)), ["error"]);
      }
      const last = replies.at(-1);
      if (expect.connection === "closed" && last !== undefined && last.status >= 400) {
        assert.equal(last.headers.get("connection"), "close");
      }
      const next = expect.connection === "open" ? client : new RawClient(this.#port);
      if (expect.connection === "open") client.text = "";
      try {
        const [reply] = await next.send(get("Authorization: again\r\n")).replies(1);
        assert.deepEqual([reply?.status, reply?.body], [200, '"again"'], "the next request is read as it was sent");
      } finally {
        next.socket.destroy();
      }
    } finally {
      client.socket.destroy();
    }
  }
}

/** All cases of the line that the name begins with. */
function describeOnWire(name: string, waits?: number): void {
  const id = name.split(" ", 1)[0];
  const cases = wireCases.filter((wireCase) => wireCase.id === id);
  described.push(...cases);
  describe(name, { concurrency: true }, () => {
    const server = new Server();
    before(() => server.start(waits));
    after(async () => {
      await server.stop();
      assert.deepEqual(server.log.messages("error"), []);
    });
    for (const wireCase of cases) test(`${id} ${wireCase.title}`, () => server.check(wireCase));
  });
}
const described: WireCase[] = [];

describeOnWire(
  "H1 h3 CVE-2026-23527: chunks are read however they are announced, and nothing behind them is swallowed",
);
describeOnWire(
  "H2 Node CVE-2019-15605, CVE-2022-32214, CVE-2024-27982, CVE-2025-23167: a message ends in one place only",
);
describeOnWire("H3 Node CVE-2021-22959, Kestrel CVE-2025-55315, Netty CVE-2025-58056: malformed chunks are refused");
describeOnWire("H4 Node CVE-2024-22019: chunk extensions have a bound");
describeOnWire("H5 Node CVE-2026-58044: headers past the bound are refused, and none is dropped in silence");
describeOnWire("H6 Node CVE-2026-21710: headers may be named like parts of Object");
describeOnWire(
  "H7 Node CVE-2018-12121, CVE-2019-5737, CVE-2020-8251, CVE-2021-22883: what never ends is answered with 408",
  300,
);
describeOnWire("H8 Node CVE-2025-27209, CVE-2026-21717: names that look like numbers are read like any other");
describeOnWire("H9 Node CVE-2025-59466: what nests too deeply is refused before anything recurses over it");
describeOnWire("H10 tinyproxy CVE-2026-54387: chunked is the only Transfer-Encoding, in one spelling of its value");
describeOnWire("H11 Node CVE-2020-8287: headers that may stand once are refused when they stand twice");
describeOnWire("H12 Koa CVE-2026-27959, h3 2b59a3aa, chi GHSA-vrw8-fxc6-2r93: a Host is a host and a port");
describeOnWire("H13 @hono/node-server CVE-2024-32652: a Host that no URL can have is refused");
describeOnWire("H15 RFC 9110: expectations, methods and versions get the answer that belongs to them");
describeOnWire("H16 upgrades: nobody listens for them, so they are answered as plain HTTP");
describeOnWire("H17 pipelining: replies keep the order of their requests, and nothing is handled behind a broken one");

test("W1 has at least 120 cases, and each of them is run", () => {
  assert.ok(wireCases.length >= 120, `${wireCases.length}`);
  assert.deepEqual(
    described,
    wireCases.toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1))),
  );
  const titles = wireCases.map(({ id, title }) => `${id} ${title}`);
  assert.equal(new Set(titles).size, titles.length);
});
