// Prints the files of the framework that a request runs through, with their lines of code and how many of them V8 has run
// for a request over a real socket.
import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { stripTypeScriptTypes } from "node:module";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import {
  api,
  type Context,
  createApp,
  defineModule,
  dto,
  endpoint,
  integer,
  type Next,
  type Routes,
  string,
} from "@tenon/core";

class Guard {
  handle(_: Context, next: Next) {
    return next();
  }
}

const CreatePost = dto({ title: string("required") });
const ListPosts = dto({ limit: integer("min=1", "max=100"), tag: string("oneof=news notes") });

class PostsController {
  readonly list = endpoint({ query: ListPosts }, (_, { query }) => query);

  routes(): Routes {
    return [
      { method: "GET", path: "/posts/:id", handler: (ctx) => ({ id: ctx.param("id") }), middlewares: [Guard] },
      { method: "GET", path: "/posts", handler: this.list, middlewares: [Guard] },
      { method: "POST", path: "/posts", handler: (ctx) => ctx.bind(CreatePost), middlewares: [Guard] },
    ];
  }
}

const body = JSON.stringify({ title: "A title" });
const requests = {
  "GET with one middleware": (n: number) => `GET /posts/${n} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  "GET with a query and rules": () => "GET /posts?limit=10&tag=news HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "POST with a DTO": () =>
    `POST /posts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
};

/** Sends a request and waits for the end of its short response. */
async function send(socket: Socket, text: string): Promise<void> {
  const response = new Promise<void>((resolve, reject) => {
    socket.once("data", (chunk: Buffer) => {
      if (/^HTTP\/1\.1 200 /.test(chunk.toString())) resolve();
      else reject(new Error(chunk.toString()));
    });
  });
  socket.write(text);
  await response;
}

interface FileCount {
  readonly file: string;
  readonly lines: number;
  readonly ran: number;
}

async function count(session: Session): Promise<FileCount[]> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const scripts = result.filter(({ url }) => /\/packages\/(?:core|server)\/src\//.test(url));
  return scripts.flatMap(({ url, functions }): FileCount[] => {
    // the outermost range of a function says how often it was called; the module itself has no name and starts at 0
    const called = functions.filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0 && whole?.startOffset !== 0);
    if (called.length === 0) return [];
    const text = readFileSync(fileURLToPath(url), "utf8");
    const ran = new Set<number>();
    for (const { ranges } of called) {
      const [whole, ...inner] = ranges;
      for (let offset = whole?.startOffset ?? 0; offset < (whole?.endOffset ?? 0); offset++) {
        const skipped = inner.some((part) => part.count === 0 && offset >= part.startOffset && offset < part.endOffset);
        if (!skipped && text[offset] !== "\n") ran.add(text.slice(0, offset).split("\n").length);
      }
    }
    const file = url.slice(url.lastIndexOf("/packages/") + "/packages/".length).replace("/src/", "/");
    return [{ file, lines: countCode(text), ran: ran.size }];
  });
}

/** Without imports, types, comments and empty lines. */
function countCode(text: string): number {
  const code = stripTypeScriptTypes(text)
    .replaceAll(/^(?:import|export)\b[^;]*\bfrom "[^"]+";/gm, "")
    .replaceAll(/^\s*\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  return code.split("\n").filter((line) => /[^\s;]/.test(line)).length;
}

const posts = defineModule({ name: "posts", declarations: [PostsController] });
const app = await createApp(posts, api({ middlewares: [] }), { log: { level: "silent" } });
const { port } = await app.listen({ port: 0, signals: false });
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
const socket = connect({ port, host: "127.0.0.1" });
for (const [name, toRequest] of Object.entries(requests)) {
  await send(socket, toRequest(1)); // opens the connection, which is not counted
  await session.post("Profiler.takePreciseCoverage");
  await send(socket, toRequest(2));
  const files = await count(session);
  const sum = (key: "lines" | "ran") => files.reduce((total, file) => total + file[key], 0);
  console.log(`\n${name}: ${files.length} files, ${sum("lines")} lines of code, ${sum("ran")} lines run`);
  for (const { file, lines, ran } of files.sort((a, b) => b.lines - a.lines)) {
    console.log(`  ${file.padEnd(32)} ${String(lines).padStart(4)} lines, ${String(ran).padStart(3)} run`);
  }
}
socket.destroy();
session.disconnect();
await app.stop();
