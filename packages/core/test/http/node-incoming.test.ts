import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { type Context, HttpError } from "@tenon/core";
import { RawClient, testOnWire, type WireReply } from "../support/wire.ts";

const mebibyte = 1024 * 1024;
const host = "Host: localhost\r\n";
const get = `GET / HTTP/1.1\r\n${host}\r\n`;

const routes = [
  { method: "GET" as const, path: "/", handler: () => "ok" },
  {
    method: "POST" as const,
    path: "/late",
    handler: async (ctx: Context) => {
      await setTimeout(50);
      return new TextDecoder().decode(await ctx.request().body());
    },
  },
  {
    method: "POST" as const,
    path: "/late-guard",
    handler: () => "never",
    middlewares: [
      async () => {
        await setTimeout(50); // long enough for a body to fill what node keeps of it
        throw new HttpError(401, "Missing authorization header");
      },
    ],
  },
  {
    method: "POST" as const,
    path: "/size",
    handler: async (ctx: Context) => ({ size: (await ctx.request().body()).byteLength }),
  },
  {
    method: "POST" as const,
    path: "/small",
    handler: async (ctx: Context) => {
      ctx.limitBody(10);
      return { size: (await ctx.request().body()).byteLength };
    },
  },
  {
    method: "POST" as const,
    path: "/guarded",
    handler: async (ctx: Context) => ({ size: (await ctx.request().body()).byteLength }),
    middlewares: [
      () => {
        throw new HttpError(401, "Missing authorization header");
      },
    ],
  },
];

const declared = (path: string, length: number, headers = "") =>
  `POST ${path} HTTP/1.1\r\n${host}Content-Length: ${length}\r\n${headers}\r\n`;
const chunked = (path: string) => `POST ${path} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`;
const chunk = (bytes: string) => `${bytes.length.toString(16)}\r\n${bytes}\r\n`;

testOnWire("takes a body of exactly 1 MiB, declared or in chunks", routes, async ({ connect }) => {
  const client = connect();
  client.send(declared("/size", mebibyte)).send("a".repeat(mebibyte));
  client
    .send(chunked("/size"))
    .send(chunk("a".repeat(mebibyte / 2)).repeat(2))
    .send("0\r\n\r\n");
  const replies = await client.replies(2);
  assert.deepEqual(
    replies.map((reply) => reply.body),
    [`{"size":${mebibyte}}`, `{"size":${mebibyte}}`],
  );
});

testOnWire(
  "refuses one byte more with 413 and closes, before any of a declared body has come",
  routes,
  async (wire) => {
    const replies = await wire.untilClosed(declared("/size", mebibyte + 1));
    assert.deepEqual(
      replies.map((reply) => [reply.status, reply.headers.get("connection"), reply.body]),
      [[413, "close", '{"error":"Payload Too Large"}']],
    );
  },
);

testOnWire("counts the bytes of a chunked body and refuses the one past 1 MiB", routes, async ({ untilClosed }) => {
  const replies = await untilClosed(chunked("/size") + chunk("a".repeat(mebibyte)) + chunk("a"));
  assert.deepEqual(
    replies.map((reply) => [reply.status, reply.headers.get("connection")]),
    [[413, "close"]],
  );
});

testOnWire("keeps the connection when a body is over the route's own limit only", routes, async ({ connect }) => {
  const replies = await connect()
    .send(`${declared("/small", 11)}${"a".repeat(11)}${get}`)
    .replies(2);
  assert.deepEqual(
    replies.map((reply) => reply.status),
    [413, 200],
  );
});

/** Writes everything before it reads anything, as simple clients do. */
async function sendBlindly(client: RawClient, head: string, body: Buffer): Promise<WireReply[]> {
  client.socket.pause();
  client.socket.write(head);
  client.socket.write(body);
  if (client.socket.writableLength > 0) await once(client.socket, "drain");
  client.socket.resume();
  return client.untilClosed();
}

for (const [size, rounds] of [
  [5, 10],
  [32, 1], // more than the systems on both sides keep: the rest must be read for the client to come to its end
] as const) {
  testOnWire(
    `hands the whole 413 to a client that first sends all of its ${size} MiB, each time`,
    routes,
    async (wire) => {
      const bytes = "a".repeat(size * mebibyte);
      for (const [head, body] of [
        [declared("/size", bytes.length), Buffer.from(bytes)],
        [chunked("/size"), Buffer.from(chunk(bytes))],
      ] as const) {
        for (let round = 0; round < rounds; round++) {
          const client = wire.connect();
          const replies = await sendBlindly(client, head, body);
          assert.deepEqual(
            [replies.map(({ status, complete }) => [status, complete]), client.reset],
            [[[413, true]], false],
          );
        }
      }
    },
  );
}

testOnWire("hands over the 400 for a broken head though the client goes on sending", routes, async ({ connect }) => {
  for (let round = 0; round < 10; round++) {
    const client = connect();
    const replies = await sendBlindly(client, "POST / HTTP/1.1\r\n bad\r\n\r\n", Buffer.alloc(5 * mebibyte, "a"));
    assert.deepEqual([replies.map((reply) => reply.status), client.reset], [[400], false]);
  }
});

testOnWire(
  "answers a guard's 401 without the body, and closes on a client that never stops sending",
  routes,
  async ({ port }) => {
    const client = new RawClient(port, { stubborn: true }).send(declared("/guarded", 1024 ** 4));
    const flood = setInterval(() => client.socket.write(Buffer.alloc(65_536)), 2);
    try {
      const [reply] = await client.replies(1);
      assert.deepEqual([reply?.status, reply?.headers.get("connection")], [401, "close"]);
      await client.until(({ closed }) => closed, "end");
    } finally {
      clearInterval(flood);
      client.socket.destroy();
    }
  },
  { limits: { requestTimeout: 60 } },
);

testOnWire("hands over a late refusal to a client that first sends all of its body", routes, async (wire) => {
  const bytes = Buffer.alloc(32 * mebibyte, "a");
  const client = wire.connect();
  const replies = await sendBlindly(client, declared("/late-guard", bytes.length), bytes);
  assert.deepEqual([replies.map((reply) => reply.status), client.reset], [[401], false]);
});

testOnWire("reads what came before the handler asked for it, and what comes behind", routes, async ({ connect }) => {
  const whole = connect().send(`${declared("/late", 5)}hello${get}`);
  const halved = connect().send(`${declared("/late", 11)}hello`);
  const inChunks = connect().send(chunked("/late")).send(chunk("hello")).send(chunk(" world"));
  await setTimeout(100);
  halved.send(` world${get}`);
  inChunks.send(`0\r\n\r\n${get}`);
  for (const [client, body] of [
    [whole, "hello"],
    [halved, "hello world"],
    [inChunks, "hello world"],
  ] as const) {
    const replies = await client.replies(2);
    assert.deepEqual(
      replies.map((reply) => reply.body),
      [`"${body}"`, '"ok"'],
    );
  }
});

testOnWire("reads past a small body that nobody asked for", routes, async ({ connect }) => {
  const replies = await connect()
    .send(`${declared("/guarded", 5)}hello${get}`)
    .replies(2);
  assert.deepEqual(
    replies.map((reply) => reply.status),
    [401, 200],
  );
});

testOnWire("sends 100 for a body within the limit, then the answer", routes, async ({ connect }) => {
  const client = connect().send(declared("/size", 5, "Expect: 100-Continue\r\n"));
  await client.until(({ text }) => text.startsWith("HTTP/1.1 100 Continue\r\n\r\n"), "100");
  const replies = await client.send(`hello${get}`).replies(3);
  assert.deepEqual(
    replies.map((reply) => [reply.status, reply.body]),
    [
      [100, ""],
      [200, '{"size":5}'],
      [200, '"ok"'],
    ],
  );
});

testOnWire("answers 413 without 100 for a body over the limit, and closes", routes, async ({ untilClosed }) => {
  for (const length of [mebibyte + 1, 99_000_000_000]) {
    const replies = await untilClosed(declared("/size", length, "Expect: 100-continue\r\n"));
    assert.deepEqual(
      replies.map((reply) => [reply.status, reply.headers.get("connection")]),
      [[413, "close"]],
    );
  }
});

testOnWire("sends no 100 when the answer does not need the body", routes, async ({ untilClosed }) => {
  const replies = await untilClosed(declared("/guarded", 5, "Expect: 100-continue\r\n"));
  assert.deepEqual(
    replies.map((reply) => reply.status),
    [401],
  );
});

testOnWire(
  "answers 408 when the body does not come in time, and closes",
  routes,
  async ({ untilClosed }) => {
    const replies = await untilClosed(`${declared("/size", 10)}hello`);
    assert.deepEqual(
      replies.map((reply) => [reply.status, reply.headers.get("connection")]),
      [[408, "close"]],
    );
  },
  { limits: { bodyTimeout: 30 } },
);

const broken: Readonly<Record<string, readonly [status: number, body: string]>> = {
  "a chunk without a size": [400, "x\r\nabc\r\n0\r\n\r\n"],
  "a space behind the size": [400, "3 \r\nabc\r\n0\r\n\r\n"],
  "no line break behind the data": [400, "3\r\nabcX\r\n0\r\n\r\n"],
  "a line feed alone behind the size": [400, "3\nabc\r\n0\r\n\r\n"],
  "a line feed in an extension": [400, "3;a\nb\r\nabc\r\n0\r\n\r\n"],
  "a negative size": [400, "-3\r\nabc\r\n0\r\n\r\n"],
  "a size past every number": [400, `${"f".repeat(20)}\r\nabc\r\n0\r\n\r\n`],
  "an extension of 20 KB": [413, `3;${"a".repeat(20_000)}\r\nabc\r\n0\r\n\r\n`],
};

for (const [name, [status, body]] of Object.entries(broken)) {
  testOnWire(`answers ${name} with ${status} and closes`, routes, async ({ untilClosed }) => {
    const replies = await untilClosed(chunked("/size") + body);
    assert.deepEqual(
      replies.map((reply) => [reply.status, reply.headers.get("connection")]),
      [[status, "close"]],
    );
  });
}

testOnWire("answers a body that ends early with 400", routes, async ({ connect }) => {
  const client = connect().send(`${declared("/size", 10)}hello`);
  client.socket.end();
  const replies = await client.untilClosed();
  assert.deepEqual(
    replies.map((reply) => reply.status),
    [400],
  );
});

const atWork = Promise.withResolvers<void>();
const lateReader = Promise.withResolvers<unknown>();
testOnWire(
  "gives no part of a body to a handler that asks for it after the client left",
  [
    {
      method: "POST",
      path: "/",
      handler: async (ctx: Context) => {
        const left = once(ctx.signal, "abort");
        atWork.resolve();
        await left;
        ctx.request().body().then(lateReader.resolve, lateReader.resolve);
      },
    },
  ],
  async ({ connect }) => {
    const client = connect().send(`${declared("/", 10)}hello`);
    await atWork.promise;
    client.socket.resetAndDestroy();
    const outcome = await lateReader.promise;
    assert.ok(outcome instanceof HttpError, String(outcome));
    assert.equal(outcome.status, 400);
  },
);

/** Connects, sends and is gone before the server, which runs in the process that waits for it, has accepted. */
const hitAndRun = `
  const socket = require("node:net").connect(Number(process.argv[1]), "127.0.0.1", () => {
    socket.write("GET /address HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n", () => socket.resetAndDestroy());
  });
`;
const gone = Promise.withResolvers<string>();
testOnWire(
  "a client that left before it was accepted has no address, and its request is handled",
  [{ method: "GET", path: "/address", handler: (ctx: Context) => gone.resolve(ctx.request().address()) }],
  async ({ port, log }) => {
    execFileSync(process.execPath, ["--eval", hitAndRun, String(port)], { timeout: 60_000 });
    assert.equal(await gone.promise, "");
    assert.deepEqual(log.messages("error"), []);
  },
);

testOnWire("reads of an understated length what was stated, and not the rest as a request", routes, async (wire) => {
  const replies = await wire.untilClosed(`${declared("/size", 2)}hello`);
  assert.deepEqual(
    replies.map((reply) => [reply.status, reply.body]),
    [[200, '{"size":2}']],
  );
});

testOnWire("takes bodies of many clients at once", routes, async ({ port }) => {
  const clients = Array.from({ length: 50 }, () => new RawClient(port));
  const sizes = await Promise.all(
    clients.map(async (client, index) => {
      client.send(declared("/size", index * 1000)).send("a".repeat(index * 1000));
      const [reply] = await client.replies(1);
      client.socket.destroy();
      return JSON.parse(reply?.body ?? "").size as unknown;
    }),
  );
  assert.deepEqual(
    sizes,
    clients.map((_, index) => index * 1000),
  );
});
