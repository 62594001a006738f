import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { type Context, dto, HttpError, inject, integer, type Routes, string } from "@tenon/core";
import { Channels, type EventStream, events, type LiveSocket, socket } from "@tenon/live";
import { oneChecker, root, run, tool } from "../../../test/support/run.ts";
import { temporaryFolder, writeFiles } from "../../../test/support/temporary-folder.ts";
import { assertValid } from "../../core/test/openapi/lint.ts";
import { until } from "../../core/test/support/until.ts";
import { toClientFile } from "../../tool/src/client/client-file.ts";
import { checkDocument } from "../../tool/src/client/document.ts";
import { type LiveApp, withLiveApp } from "./support/live-app.ts";

const Post = dto("Post", { id: integer("required"), title: string("required") });
const Say = dto("Say", { text: string("required", "max=10") });
const Said = dto("Said", { text: string("required"), by: string("required") });

class Posts {
  readonly channels = inject(Channels);
  readonly streams: EventStream[] = [];
  readonly sockets: LiveSocket[] = [];

  routes(): Routes {
    return [
      { method: "GET", path: "/live/posts", handler: this.live, middlewares: [guard] },
      { method: "GET", path: "/rooms/:room", handler: this.room, middlewares: [guard] },
    ];
  }

  readonly live = events(
    { summary: "New posts", sends: { published: Post, removed: dto("PostRef", { id: integer("required") }) } },
    async (_, stream) => {
      this.streams.push(stream as unknown as EventStream);
      await this.channels.subscribe("posts", stream);
    },
  );

  readonly room = socket(
    { receives: { say: Say }, sends: { said: Said } },
    {
      open: async (ctx: Context<"/rooms/:room">, live) => {
        this.sockets.push(live as unknown as LiveSocket);
        await this.channels.subscribe(ctx.param("room"), live);
      },
      on: { say: (ctx, _, { text }) => this.channels.publish(ctx.param("room"), "said", { text, by: "ada" }) },
    },
  );
}

const guard = Object.assign(
  (ctx: Context, next: () => unknown): unknown => {
    if (ctx.header("authorization") !== "Bearer secret") throw new HttpError(401, "Invalid token");
    return next();
  },
  { contract: { security: { bearer: { type: "http", scheme: "bearer" } }, errors: { 401: "Invalid token" } } as const },
);

/** What the generated file exports, as far as this test uses it. */
interface Api {
  readonly posts: {
    live(input?: object, options?: { lastEventId?: string; signal?: AbortSignal }): AsyncGenerator<Got>;
  };
}
interface Got {
  readonly event: string;
  readonly data: unknown;
  readonly id: string;
}
interface Room extends AsyncIterable<Got> {
  send(event: string, data: unknown): void;
  close(): void;
}

async function generate({ app }: LiveApp, more: Record<string, string> = {}) {
  const document = checkDocument(JSON.parse(JSON.stringify(await app.openapi())), "the document");
  const folder = temporaryFolder("live-client");
  writeFiles(folder, { "package.json": '{ "type": "module" }', "client.ts": toClientFile(document), ...more });
  return { folder, document };
}

async function createClient(live: LiveApp, token = "secret") {
  const { folder } = await generate(live);
  const { createClient: create } = await import(pathToFileURL(join(folder, "client.ts")).href);
  return create({ baseUrl: live.url, token }) as Api & { posts: { room(input: object): Room } };
}

test("the document lists event streams and sockets with the schemas of their messages", async () => {
  await withLiveApp(Posts, async ({ app }) => {
    await assertValid(await app.openapi());
    const { paths, components } = (await app.openapi()) as unknown as {
      paths: Record<string, Record<string, Record<string, unknown>>>;
      components: { schemas: object };
    };
    const stream = paths["/live/posts"]?.get;
    assert.deepEqual(stream?.["x-tenon-live"], {
      kind: "events",
      sends: { published: { $ref: "#/components/schemas/Post" }, removed: { $ref: "#/components/schemas/PostRef" } },
    });
    assert.deepEqual(Object.keys(stream?.responses ?? {}), ["200", "401"]);
    const room = paths["/rooms/{room}"]?.get;
    assert.deepEqual(room?.["x-tenon-live"], {
      kind: "socket",
      sends: { said: { $ref: "#/components/schemas/Said" } },
      receives: { say: { $ref: "#/components/schemas/Say" } },
    });
    assert.deepEqual(Object.keys(room?.responses ?? {}), ["101", "400", "401", "403", "426"]);
    const names = Object.keys(components.schemas).filter((name) => !name.endsWith("Error"));
    assert.deepEqual(names, ["Post", "PostRef", "Said", "Say"]);
  });
});

const uses = `
import { createClient } from "./client.ts";
const api = createClient({ baseUrl: "http://localhost", token: "secret" });
for await (const event of api.posts.live({}, { lastEventId: "1-1", signal: new AbortController().signal })) {
  if (event.event === "published") event.data.title satisfies string;
  else if (event.event === "removed") event.data.id satisfies number;
  else event.data.topic satisfies string;
  // @ts-expect-error: not every event has a title
  event.data.title;
}
const room = api.posts.room({ room: "one" });
room.send("say", { text: "hello" });
// @ts-expect-error: an unknown message
room.send("shout", { text: "hello" });
// @ts-expect-error: a field is missing
room.send("say", {});
for await (const message of room) {
  if (message.event === "said") message.data.by satisfies string;
  else if (message.event === "error") message.data.error satisfies string;
}
room.close();
`;

test("the generated client compiles in Node and in a browser, and mistakes in its use do not", async () => {
  await withLiveApp(Posts, async (live) => {
    const shared = { noEmit: true, noPropertyAccessFromIndexSignature: true, noUnusedLocals: true, skipLibCheck: true };
    const typeRoots = [join(root, "node_modules/@types")];
    const places = [
      { ...shared, types: ["node"], typeRoots },
      { ...shared, types: [], target: "es2022", lib: ["es2022", "dom"], module: "esnext", moduleResolution: "bundler" },
    ];
    for (const compilerOptions of places) {
      const tsconfig = JSON.stringify({
        extends: join(root, "tsconfig.base.json"),
        compilerOptions,
        include: ["*.ts"],
      });
      const { folder } = await generate(live, { "use.ts": uses, "tsconfig.json": tsconfig });
      const { code, stdout } = await run(tool("tsc"), ["-p", ".", "--pretty", "false", ...oneChecker], { cwd: folder });
      assert.equal(code, 0, stdout);
    }
  });
});

test("the generated client reads a stream across connections, without gaps", async () => {
  await withLiveApp(
    Posts,
    async (live) => {
      const api = await createClient(live);
      const { channels, streams } = live.app.get(Posts);
      const got: unknown[] = [];
      const reading = (async () => {
        for await (const { event, data } of api.posts.live()) {
          got.push([event, (data as { id: number }).id]);
          if (event === "removed") return;
          streams.at(-1)?.close("cut off");
          await channels.publish("posts", "published", { id: 10 + got.length, title: "while away" });
          if (got.length === 3) await channels.publish("posts", "removed", { id: 99 });
        }
      })();
      await until(() => channels.count("posts") > 0, "subscription");
      await channels.publish("posts", "published", { id: 1, title: "first" });
      await reading;
      assert.deepEqual(got, [
        ["published", 1],
        ["published", 11],
        ["published", 12],
        ["published", 13],
        ["removed", 99],
      ]);
      await until(() => channels.count("posts") === 0, "end of the subscription");
    },
    { options: { retry: 10 } },
  );
});

test("the generated client has a socket that reconnects and continues", async () => {
  await withLiveApp(Posts, async (live) => {
    const api = await createClient(live);
    const { channels, sockets } = live.app.get(Posts);
    const room = api.posts.room({ room: "one" });
    room.send("say", { text: "1" });
    const got: string[] = [];
    for await (const { event, data } of room) {
      if (event === "error") got.push((data as { error: string }).error);
      else got.push((data as { text: string }).text);
      if (got.length === 1) {
        sockets.at(-1)?.close(1012, "restart");
        await channels.publish("one", "said", { text: "2", by: "server" });
      }
      if (got.length === 2) room.send("say", { text: "3" });
      if (got.length === 3) room.send("say", { text: "far too long for this" });
      if (got.length === 4) break;
    }
    assert.deepEqual(got, ["1", "2", "3", "Invalid request"]);
    assert.throws(() => room.send("say", { text: "late" }), /the socket is closed/);
  });
});

test("a stream that the server refuses throws, an aborted one ends with the reason of its signal", async () => {
  await withLiveApp(Posts, async (live) => {
    const stranger = await createClient(live, "wrong");
    await assert.rejects(stranger.posts.live().next(), { name: "ApiError", status: 401 });
    const api = await createClient(live);
    const controller = new AbortController();
    const next = api.posts.live({}, { signal: controller.signal }).next();
    await until(() => live.app.get(Posts).channels.count("posts") > 0, "subscription");
    controller.abort(new Error("enough"));
    await assert.rejects(next, /enough/);
  });
});
