// Bare node:http, written for exactly the requests of the benchmark: the baseline of all others.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createReadStream, stat } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { join } from "node:path";
import { parse } from "node:querystring";
import { pipeline } from "node:stream";
import { gzip } from "node:zlib";
import { created, fewPosts, filesFolder, hello, type Post, posts, routes, secret } from "./support/data.ts";
import { isNewPost } from "./support/new-post-by-hand.ts";
import { serve } from "./support/serve.ts";

function listen(port: number, listener: RequestListener): void {
  createServer(listener).listen(port, "127.0.0.1");
}

function send(res: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  res.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
  });
  res.end(body);
}

function split(url: string): { path: string; search: string } {
  const question = url.indexOf("?");
  return question < 0 ? { path: url, search: "" } : { path: url.slice(0, question), search: url.slice(question + 1) };
}

function readJson(req: IncomingMessage, done: (value: unknown) => void, fail: () => void): void {
  const chunks: Buffer[] = [];
  req.on("data", (chunk: Buffer) => chunks.push(chunk));
  req.on("end", () => {
    let value: unknown;
    try {
      value = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      fail();
      return;
    }
    done(value);
  });
}

type Step = (state: { count: number }, next: () => void) => void;

function verify(header: string | undefined): { user_id: string } | undefined {
  if (header?.startsWith("Bearer ") !== true) return undefined;
  const [head = "", payload = "", signature = ""] = header.slice(7).split(".");
  const expected = createHmac("sha256", secret).update(`${head}.${payload}`).digest();
  const given = Buffer.from(signature, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  return claims.exp > Date.now() / 1000 ? claims : undefined;
}

function sendCompressed(list: readonly Post[]): RequestListener {
  return (_req, res) => {
    gzip(JSON.stringify(list), (error, body) => {
      if (error !== null) throw error;
      res.writeHead(200, {
        "content-type": "application/json; charset=utf-8",
        "content-encoding": "gzip",
        "content-length": body.byteLength,
        vary: "accept-encoding",
      });
      res.end(body);
    });
  };
}

const notFound = { error: "Not Found" };

await serve({
  json: (port) => listen(port, (_req, res) => send(res, 200, hello)),

  idle: (port) => {
    const server = createServer((_req, res) => send(res, 200, hello));
    server.keepAliveTimeout = 600_000;
    server.listen(port, "127.0.0.1");
  },

  "compressed-few": (port) => listen(port, sendCompressed(fewPosts)),
  "compressed-list": (port) => listen(port, sendCompressed(posts)),
  precompressed: (port) => {
    const file = join(filesFolder(), "posts.json.br");
    listen(port, (_req, res) => {
      stat(file, (error, stats) => {
        if (error !== null) throw error;
        if (res.destroyed) return; // the load tool has closed its connections, and pipeline() would throw
        const { size, mtimeMs, mtime } = stats;
        res.writeHead(200, {
          "content-type": "application/json; charset=utf-8",
          "content-encoding": "br",
          "content-length": size,
          "cache-control": "public, max-age=0",
          "last-modified": mtime.toUTCString(),
          etag: `"${size.toString(36)}-${mtimeMs.toString(36)}"`,
          vary: "accept-encoding",
        });
        pipeline(createReadStream(file), res, () => {}); // likewise
      });
    });
  },

  params: (port) =>
    listen(port, (req, res) => {
      const { path, search } = split(req.url ?? "/");
      const [, users, user, list, post] = path.split("/");
      if (users !== "users" || list !== "posts") return send(res, 404, notFound);
      send(res, 200, { user, post, page: parse(search).page });
    }),

  body: (port) =>
    listen(port, (req, res) => {
      const refuse = () => send(res, 400, { error: "Invalid request" });
      readJson(req, (value) => (isNewPost(value) ? send(res, 201, created(value)) : refuse()), refuse);
    }),

  middlewares: (port) => {
    const count: Step = (state, next) => {
      state.count++;
      next();
    };
    const steps = [count, count, count, count, count];
    listen(port, (_req, res) => {
      const state = { count: 0 };
      const run = (index: number): void => {
        const step = steps[index];
        if (step === undefined) send(res, 200, state);
        else step(state, () => run(index + 1));
      };
      run(0);
    });
  },

  list: (port) => listen(port, (_req, res) => send(res, 200, posts)),

  routes: (port) => {
    const bases = new Map(routes.filter((_, index) => index % 5 === 0).map(({ path, route }) => [path, route]));
    listen(port, (req, res) => {
      const [, version, noun, id, items, item] = (req.url ?? "/").split("/");
      const base = bases.get(`/${version}/${noun}`);
      if (base === undefined) return send(res, 404, notFound);
      if (id === undefined) return send(res, 200, { route: base });
      if (items === undefined) return send(res, 200, id === "search" ? { route: base + 1 } : { route: base + 2, id });
      if (item === undefined) return send(res, 200, { route: base + 3, id });
      send(res, 200, { route: base + 4, id, item });
    });
  },

  bearer: (port) =>
    listen(port, (req, res) => {
      const claims = verify(req.headers.authorization);
      if (claims === undefined) return send(res, 401, { error: "Invalid token" });
      send(res, 200, { user_id: claims.user_id });
    }),
});
