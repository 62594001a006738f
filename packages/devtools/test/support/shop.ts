import { once } from "node:events";
import { request as httpRequest } from "node:http";
import type { TestContext } from "node:test";
import {
  api,
  type Context,
  createApp,
  defineConfig,
  defineModule,
  dto,
  endpoint,
  type HttpApp,
  HttpError,
  inject,
  integer,
  type Log,
  type Middleware,
  type Next,
  type Platform,
  provide,
  string,
} from "@tenon/core";
import type { DevtoolsHost } from "@tenon/core/internal";
import type { DevPanelSource } from "@tenon/core/platform";
import { Cache, Database, dataModule, KeyValue, sql } from "@tenon/data";
import { defineJob, Jobs, job, jobsModule, schedule } from "@tenon/jobs";
import { Channels, liveModule, socket } from "@tenon/live";
import { fromDeveloper, startDevelopment } from "./developer.ts";

const Note = dto("Note", { text: string("required"), password: string() });
const SendMail = defineJob("mails/send", { input: dto({ to: string("required") }), attempts: 1 });

class Config extends defineConfig({ SHOP_NAME: string("default=Corner shop"), SHOP_TOKEN: string("default=hidden") }) {}

class Guard implements Middleware {
  readonly contract = { security: { bearer: { type: "http", scheme: "bearer" } }, policy: "staff" } as const;
  handle(ctx: Context, next: Next) {
    if (ctx.header("authorization") !== "Bearer letmein") throw new HttpError(401, "Unauthorized");
    return next();
  }
}

/** An application with something for every panel. */
class ShopController {
  readonly #database = inject(Database);
  readonly #jobs = inject(Jobs);
  readonly #channels = inject(Channels);
  readonly #keyValue = inject(KeyValue);
  readonly #cache = inject(Cache);
  readonly #released = Promise.withResolvers<string>();

  routes() {
    return [
      { method: "GET" as const, path: "/items", handler: this.items },
      { method: "GET" as const, path: "/slow", handler: this.slow },
      { method: "POST" as const, path: "/notes", handler: this.note },
      { method: "GET" as const, path: "/private", handler: this.private, middlewares: [Guard] },
      { method: "POST" as const, path: "/reset/:token", handler: this.reset },
      { method: "POST" as const, path: "/mails", handler: this.mail },
      { method: "GET" as const, path: "/broken", handler: this.broken },
      { method: "GET" as const, path: "/outgoing", handler: this.outgoing },
      { method: "GET" as const, path: "/wait", handler: () => this.#released.promise },
      { method: "GET" as const, path: "/release", handler: () => this.#released.resolve("released") },
      { method: "GET" as const, path: "/counter/:token", handler: this.counter },
      job(SendMail, this.send),
    ];
  }

  async items(ctx: Context) {
    ctx.log.info("listing the items");
    const rows: unknown[] = [];
    for (let id = 1; id <= 4; id++) {
      const found = await sql`select id, name from items where id = ${id}`.execute(this.#database);
      rows.push(...found.rows);
    }
    return rows;
  }

  /** Counts for long enough to be marked. */
  async slow() {
    const counted =
      await sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 400000) select count(*) as total from numbers`.execute(
        this.#database,
      );
    return counted.rows[0];
  }

  readonly note = endpoint({ summary: "Keeps a note", body: Note, returns: { 201: Note } }, async (ctx, { body }) => {
    await this.#keyValue.set("note:last", body);
    await this.#cache.set("note", body.text);
    await this.#channels.publish("notes", "added", { text: body.text });
    return ctx.status(201).json(body);
  });

  /** A WebSocket. */
  readonly counter = socket(
    { receives: { count: dto({}), fail: dto({}) }, sends: { counted: dto({ items: integer("required") }) } },
    {
      on: {
        count: async (ctx, live) => {
          ctx.log.info("counting the items");
          const { rows } = await sql`select id from items`.execute(this.#database);
          live.send("counted", { items: rows.length });
        },
        fail: () => {
          throw new RangeError("the counter is broken");
        },
      },
    },
  );

  readonly reset = endpoint({ body: Note, returns: Note }, (_, { body }) => body);

  private() {
    return { private: true };
  }

  async mail() {
    const { id } = await this.#jobs.enqueue(SendMail, { to: "ada@example.com" });
    return { id };
  }

  readonly send = async (ctx: Context): Promise<string> => {
    ctx.log.info("sending a mail");
    await sql`select name from items where id = 1`.execute(this.#database);
    return "sent";
  };

  /** Asks another server. */
  async outgoing(ctx: Context) {
    const response = await fetch(`${ctx.query("to")}?api_key=hidden`);
    return { status: response.status };
  }

  broken(): never {
    throw new RangeError("the shelf is empty");
  }
}

/** A document with a link that the query names, and a script where it says so. */
class DocumentPanels implements DevPanelSource {
  devPanels() {
    const letter = (to: string, script: string) =>
      `<!doctype html><html lang="en"><head><title>Letter</title>${script}</head><body style="background:rgb(1, 2, 3)"><main><h1 style="color:white">Hello</h1><a style="color:white" href="${to}">Confirm</a></main></body></html>`;
    return [
      {
        id: "letters",
        title: "Letters",
        read: ({ to = "/items", script }: Readonly<Record<string, string>>) => [
          { heading: "Letter", html: letter(to, script ? '<script>document.title="ran"</script>' : "") },
          {
            heading: "Links",
            columns: ["Link"],
            rows: [[{ text: to, href: to }], [{ text: "script", href: "javascript:alert(1)" }]],
          },
        ],
      },
    ];
  }
}

class Tables {
  readonly #database = inject(Database);
  async onStart() {
    await sql`create table items (id integer primary key, name text not null)`.execute(this.#database);
    await sql`insert into items (id, name) values (1, 'plane'), (2, 'saw'), (3, 'chisel'), (4, 'mallet')`.execute(
      this.#database,
    );
  }
}

type HostOptions = DevtoolsHost["options"];

export interface ShopOptions extends HostOptions {
  /** The URL of the key-value store. Defaults to the database. */
  readonly keyValue?: string;
  readonly platform?: Platform<HttpApp>;
}

export function shopModule({ keyValue }: Pick<ShopOptions, "keyValue"> = {}) {
  const data = dataModule({ database: "sqlite::memory:", keyValue });
  const jobs = jobsModule(data, {
    schedules: [schedule("0 3 * * *", SendMail, { input: { to: "night@example.com" } })],
  });
  return defineModule({
    name: "shop",
    imports: [data, jobs, liveModule()],
    declarations: [provide(Config, () => new Config({ env: {} })), Tables, ShopController, DocumentPanels],
  });
}

/** Listens on 127.0.0.1, started for development, with jobs that run at once. */
export async function startShop(t: TestContext, options: ShopOptions = {}) {
  const { platform = api({ middlewares: [] }), keyValue, ...tools } = options;
  startDevelopment(t);
  const app = await createApp(shopModule(keyValue === undefined ? {} : { keyValue }), platform, {
    devtools: { file: false, ...tools },
    log: silentLog,
    onStartError: "throw",
  });
  t.after(() => app.stop());
  const { url, port } = await app.listen({ port: 0, signals: false });
  return { app, url, port };
}

/** Lines are made, for the developer tools, and written nowhere. */
export const silentLog = { level: "info", destination: { write: () => {} } } as const satisfies {
  readonly level: Log["level"];
  readonly destination: object;
};

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

/** Over a socket, as the developer, with any headers, `Host` and `Sec-Fetch-Site` included. */
export function ask(port: number, path: string, asked: Asked = {}): Promise<Answer> {
  const { method = "GET", headers: given, body = "" } = asked;
  const headers = { ...fromDeveloper, ...given };
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, method, agent: false as const, headers };
    const sent = httpRequest(options, (response) => {
      response.setEncoding("utf8");
      let text = "";
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Sends messages without data to the counter, one after the other, and returns what it sends. */
export async function count(url: string, ...messages: readonly string[]): Promise<unknown[]> {
  const client = new WebSocket(`${url.replace("http", "ws")}/counter/hidden-token`);
  const answers: unknown[] = [];
  await once(client, "open");
  for (const event of messages) {
    client.send(JSON.stringify({ event, data: {} }));
    const [{ data }] = await once(client, "message");
    answers.push(JSON.parse(String(data)));
  }
  client.close();
  await once(client, "close");
  return answers;
}

/** A page as the JSON that it is made of. */
export async function readJson<T>(port: number, path: string): Promise<T> {
  const { text, status } = await ask(port, path, { headers: { accept: "application/json" } });
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return JSON.parse(text) as T; // the test knows the page
}
