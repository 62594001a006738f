import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { api, type Context } from "@tenon/core";
import { createTestApp, type TestHttpApp } from "@tenon/core/testing";
import { moduleOf } from "../support/doors.ts";
import { LogLines } from "../support/log-lines.ts";
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
const anything = {
  "~standard": { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value }) },
};

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

for (const [id, cases] of Map.groupBy(wireCases, (wireCase) => wireCase.id)) {
  describe(`W1 ${id} on the wire`, { concurrency: true }, () => {
    const server = new Server();
    before(() => server.start(id === "H7" ? 300 : undefined));
    after(() => server.stop());
    for (const wireCase of cases) test(`${id} ${wireCase.title}`, () => server.check(wireCase));
    after(() => assert.deepEqual(server.log.messages("error"), []));
  });
}

test("W1 has at least 120 cases, of every line that speaks about bytes", () => {
  assert.ok(wireCases.length >= 120, `${wireCases.length}`);
  const lines = Array.from({ length: 17 }, (_, index) => `H${index + 1}`).filter((id) => id !== "H14");
  assert.deepEqual([...new Set(wireCases.map(({ id }) => id))].sort(), lines.sort());
  const titles = wireCases.map(({ id, title }) => `${id} ${title}`);
  assert.equal(new Set(titles).size, titles.length);
});
