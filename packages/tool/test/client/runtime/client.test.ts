import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { libraryDocument } from "../../support/library-document.ts";
import { callOf, importClient, LibraryServer } from "../../support/library-server.ts";

const library = await LibraryServer.start();
const module = await importClient(libraryDocument);
const client = module.createClient({ baseUrl: `${library.url}/` });
const book = { id: 1, title: "Ada" };

test("a result carries the status, the parsed body and the headers", async () => {
  library.respondWith(200, "application/json; charset=utf-8", JSON.stringify(book));
  const { status, body, headers } = await callOf(client, "books.show")({ id: 1 });
  assert.deepEqual([status, body, headers.get("content-type")], [200, book, "application/json; charset=utf-8"]);
  assert.equal(library.last.method, "GET");
  assert.equal(library.last.url, "/books/1");
  assert.equal(library.last.headers.accept, "application/json");
});

test("a declared error is a result, and an ApiError from orThrow", async () => {
  library.respondWith(404, "application/problem+json", '{"error":"none"}');
  const { status, body } = await callOf(client, "books.show")({ id: 1 });
  assert.deepEqual([status, body], [404, { error: "none" }]);
  await assert.rejects(callOf(client, "books.show").orThrow({ id: 1 }), (error) => {
    assert.ok(error instanceof module.ApiError && error instanceof Error);
    assert.deepEqual([error.name, error.status, error.body], ["ApiError", 404, { error: "none" }]);
    assert.equal(error.message, "books.show failed with status 404");
    assert.equal(error.headers.get("content-type"), "application/problem+json");
    return true;
  });
});

test("orThrow returns the body of a success", async () => {
  library.respondWith(201, "application/json", JSON.stringify(book));
  assert.deepEqual(await callOf(client, "books.create").orThrow({ body: book }), book);
  assert.equal(library.last.headers["content-type"], "application/json");
  assert.deepEqual(JSON.parse(library.last.body.toString()), book);
});

test("an undeclared status throws, with its text", async () => {
  library.respondWith(503, "text/html", "<h1>busy</h1>");
  for (const call of [callOf(client, "books.show"), callOf(client, "books.show").orThrow]) {
    await assert.rejects(call({ id: 1 }), (error) => {
      assert.ok(error instanceof module.UndeclaredStatus);
      assert.deepEqual([error.name, error.status, error.text], ["UndeclaredStatus", 503, "<h1>busy</h1>"]);
      return true;
    });
  }
});

test("a body that is not as declared throws, with its text", async () => {
  for (const [type, text] of [
    ["text/html", "<h1>none</h1>"],
    ["application/json", "{"],
    ["application/json", ""],
  ] as const) {
    library.respondWith(404, type, text);
    await assert.rejects(callOf(client, "books.show")({ id: 1 }), (error) => {
      assert.ok(error instanceof module.UndeclaredBody);
      assert.deepEqual([error.status, error.contentType, error.text], [404, type, text]);
      return true;
    });
  }
});

test("a body without a content type is read as declared", async () => {
  library.respondWith(200, "", JSON.stringify(book));
  assert.deepEqual(await callOf(client, "books.show").orThrow({ id: 1 }), book);
});

test("ranges and defaults apply to the statuses that nothing else declares", async () => {
  library.respondWith(207, "text/plain", "ignored");
  assert.deepEqual((await callOf(client, "import")()).body, undefined);
  library.respondWith(418, "application/json", '{"error":"tea"}');
  const { status, body } = await callOf(client, "import")();
  assert.deepEqual([status, body], [418, { error: "tea" }]);
});

test("an operation without declared responses is read by its content type", async () => {
  const call = callOf(client, "getUnknownTheId");
  library.respondWith(500, "application/json", "[1]");
  assert.deepEqual((await call({ "the-id": "a/b c" })).body, [1]);
  assert.equal(library.last.url, "/unknown/a%2Fb%20c");
  library.respondWith(200, "text/html", "<p>");
  assert.equal(await call.orThrow({ "the-id": 1 }), "<p>");
  library.respondWith(200, "application/zip", "zip");
  assert.ok((await call.orThrow({ "the-id": 1 })) instanceof ReadableStream);
});

test("204 and HEAD have no body", async () => {
  library.respond((response) => response.writeHead(204).end());
  assert.deepEqual((await callOf(client, "books.remove")({ id: 1 })).body, undefined);
  library.respondWith(200, "application/json", JSON.stringify(book));
  assert.deepEqual((await callOf(client, "books.exists")({ id: 1 })).status, 200);
  assert.equal(library.last.method, "HEAD");
});

test("query lists are repeated, or joined where the document says so", async () => {
  library.respondWith(200, "application/json", "[]");
  const input = { limit: 5, tags: ["a&b", "c"], ids: [1, 2], filter: { author: "x", none: null }, "X-Trace": "t" };
  await callOf(client, "books.index")(input);
  const { searchParams } = new URL(library.last.url, library.url);
  assert.deepEqual(
    [...searchParams],
    [
      ["limit", "5"],
      ["tags", "a&b"],
      ["tags", "c"],
      ["ids", "1,2"],
      ["filter[author]", "x"],
      ["filter[none]", ""],
    ],
  );
  assert.equal(library.last.headers["x-trace"], "t");
  await callOf(client, "books.index")({ limit: undefined, tags: [], ids: [], "X-Trace": [] });
  assert.deepEqual([library.last.url, library.last.headers["x-trace"]], ["/books", undefined]);
  await callOf(client, "books.index")({ limit: null, ids: [1, null], "X-Trace": null });
  assert.deepEqual([library.last.url, library.last.headers["x-trace"]], ["/books?limit=&ids=1%2C", undefined]);
});

test("names of several kinds are nested by kind", async () => {
  library.respondWith(200, "text/plain", "found");
  const input = { path: { q: "in path" }, query: { q: "in query", options: { deep: [1] } } };
  assert.equal(await callOf(client, "search.run").orThrow(input), "found");
  assert.equal(library.last.url, "/search/in%20path?q=in+query&options=%7B%22deep%22%3A%5B1%5D%7D");
  await callOf(client, "search.run")({ path: { q: "a" } });
  assert.equal(library.last.url, "/search/a");
});

test("a path parameter cannot change the path", async () => {
  for (const q of ["", ".", "..", null, undefined]) {
    await assert.rejects(callOf(client, "search.run")({ path: { q } }), TypeError, String(q));
  }
  library.respondWith(200, "text/plain", "");
  await callOf(client, "search.run")({ path: { q: "../a?b#c" } });
  assert.equal(library.last.url, "/search/..%2Fa%3Fb%23c");
});

test("a path of the document cannot send the request, and its token, to another host", async () => {
  const paths = [".evil.example/x", "@evil.example/x", ":1/x", "//evil.example/x", "/\\evil.example/x"];
  const get = Object.fromEntries(paths.map((path, index) => [path, { get: { operationId: `to.path${index}` } }]));
  const { createClient } = await importClient({ openapi: "3.1.0", paths: get });
  for (const baseUrl of ["http://api.example", "http://api.example/v1/", ""]) {
    for (const [index] of paths.entries()) {
      const sent: string[] = [];
      const fetch = async ({ url }: Request) => Response.json(sent.push(new URL(url).host));
      const call = callOf(createClient({ baseUrl, token: "secret", fetch }), `to.path${index}`);
      await call().catch((error: unknown) => assert.ok(error instanceof TypeError, String(error)));
      assert.ok(
        sent.every((host) => host === "api.example"),
        `${paths[index]}: ${sent}`,
      );
    }
  }
});

test("the rest of a path keeps its slashes, and the segments of a list are separate", async () => {
  library.respond((response) => response.writeHead(204).end());
  await callOf(client, "files.show")({ "*": "a b/c" });
  assert.equal(library.last.url, "/files/a%20b/c");
  await callOf(client, "files.remove")({ "*": ["a/b", "c"] });
  assert.equal(library.last.url, "/files/a%2Fb/c");
  for (const rest of ["", "a/../b", ["."], [], [""], "/a", ["", "a"]])
    await assert.rejects(callOf(client, "files.show")({ "*": rest }), TypeError);
});

test("a multipart body is made from an object", async () => {
  library.respondWith(200, "application/json", "{}");
  const body = {
    file: new File(["text"], "a.txt", { type: "text/plain" }),
    pages: [new Blob(["1"])],
    title: "T",
    copies: 2,
  };
  await callOf(client, "uploads.create")({ body: { ...body, none: undefined } });
  const form = await readForm();
  assert.deepEqual([...form.keys()], ["file", "pages", "title", "copies"]);
  const file = form.get("file");
  assert.ok(file instanceof File);
  assert.deepEqual([file.name, file.type, await file.text()], ["a.txt", "text/plain", "text"]);
  assert.deepEqual([form.get("title"), form.get("copies")], ["T", "2"]);
  const own = new FormData();
  own.append("x", "y");
  await callOf(client, "uploads.create")({ body: own });
  assert.deepEqual([...(await readForm())], [["x", "y"]]);
});

function readForm(): Promise<FormData> {
  const { headers, body } = library.last;
  return new Response(new Uint8Array(body), { headers: { "content-type": headers["content-type"] ?? "" } }).formData();
}

test("a form is sent URL-encoded", async () => {
  library.respondWith(200, "text/plain", "in");
  assert.equal(await callOf(client, "login").orThrow({ body: { user: "a&b", roles: ["x", 1], more: { z: 1 } } }), "in");
  assert.match(library.last.headers["content-type"] ?? "", /^application\/x-www-form-urlencoded/);
  assert.equal(library.last.body.toString(), "user=a%26b&roles=%22x%22&roles=1&more=%7B%22z%22%3A1%7D");
});

test("files and streams are sent as they are", async () => {
  library.respond((response) => response.writeHead(204).end());
  const replace = callOf(client, "books.cover.replace");
  await replace({ id: 1, body: new Blob(["png"], { type: "image/png" }) });
  assert.deepEqual([library.last.headers["content-type"], library.last.body.toString()], ["image/png", "png"]);
  await replace({ id: 1, body: new Blob(["streamed"]).stream() }, { headers: { "content-type": "image/webp" } });
  assert.deepEqual([library.last.headers["content-type"], library.last.body.toString()], ["image/webp", "streamed"]);
});

test("binary responses are a Blob or a stream, as declared", async () => {
  library.respondWith(200, "image/png", Buffer.from([1, 2, 3]));
  const blob = await callOf(client, "books.cover.show").orThrow({ id: 1 });
  assert.ok(blob instanceof Blob);
  assert.deepEqual(await blob.bytes(), Uint8Array.of(1, 2, 3));
  library.respondWith(200, "application/zip", Buffer.from([4, 5]));
  const stream = await callOf(client, "export").orThrow();
  assert.ok(stream instanceof ReadableStream);
  assert.deepEqual(new Uint8Array(await new Response(stream).arrayBuffer()), Uint8Array.of(4, 5));
});

test("events arrive while the stream is open, and leaving the loop cancels the request", async () => {
  const closed = Promise.withResolvers<void>();
  library.respond((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("event: tick\nid: 7\ndata: 1\n\n");
    response.once("close", closed.resolve);
  });
  const events = (await callOf(client, "events.stream").orThrow()) as AsyncIterable<unknown>; // as declared
  for await (const event of events) {
    assert.deepEqual(event, { event: "tick", data: "1", id: "7" });
    break;
  }
  await closed.promise;
});

test("a signal cancels a request, and the events of a stream", async () => {
  const arrived = Promise.withResolvers<void>();
  library.respond(() => arrived.resolve());
  const controller = new AbortController();
  const pending = callOf(client, "books.show")({ id: 1 }, { signal: controller.signal });
  await arrived.promise;
  controller.abort();
  await assert.rejects(pending, { name: "AbortError" });

  library.respond((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
  });
  const second = new AbortController();
  const { body } = await callOf(client, "events.stream")({}, { signal: second.signal });
  const seen: unknown[] = [];
  await assert.rejects(
    async () => {
      for await (const event of body as AsyncIterable<unknown>) {
        // as declared
        seen.push(event);
        second.abort();
      }
    },
    { name: "AbortError" },
  );
  assert.equal(seen.length, 1);
});

test("a token goes where the security scheme says, and only to operations that declare one", async () => {
  library.respondWith(200, "application/json", "[]");
  const withToken = module.createClient({ baseUrl: library.url, token: "secret" });
  await callOf(withToken, "books.index")();
  assert.equal(library.last.headers.authorization, "Bearer secret");
  library.respondWith(200, "text/plain", "");
  await callOf(withToken, "login")({ body: { user: "a" } });
  assert.equal(library.last.url, "/login?api_key=secret");
  assert.equal(library.last.headers.authorization, undefined);
  library.respondWith(200, "image/png", "");
  await callOf(withToken, "books.cover.show")({ id: 1 });
  assert.equal(library.last.headers.authorization, undefined);
});

test("tokens are given by scheme, and functions are called for each request", async () => {
  library.respondWith(200, "application/json", "[]");
  let count = 0;
  const token = { bearer: async () => (++count < 3 ? `token ${count}` : undefined) };
  const withTokens = module.createClient({ baseUrl: library.url, token });
  const seen: unknown[] = [];
  for (let turn = 0; turn < 3; turn++) {
    await callOf(withTokens, "books.index")();
    seen.push(library.last.headers.authorization);
  }
  assert.deepEqual(seen, ["Bearer token 1", "Bearer token 2", undefined]);
  library.respondWith(200, "text/plain", "");
  await callOf(withTokens, "login")({ body: { user: "a" } });
  assert.equal(library.last.url, "/login");
});

test("API keys in headers and cookies, basic authentication, and schemes that are needed together", async () => {
  const ok = { responses: { 204: { description: "" } } };
  const other = await importClient({
    openapi: "3.1.0",
    paths: {
      "/header": { get: { operationId: "header", security: [{ header: [] }], ...ok } },
      "/cookie": { get: { operationId: "cookie", security: [{ cookie: [] }], ...ok } },
      "/basic": { get: { operationId: "basic", security: [{ basic: [] }], ...ok } },
      "/any": { get: { operationId: "any", security: [{ cookie: [] }, { header: [] }, { open: [] }], ...ok } },
      "/keys": { get: { operationId: "keys", security: [{ header: [], cookie: [] }], ...ok } },
      "/both": { get: { operationId: "both", security: [{ header: [], open: [] }], ...ok } },
    },
    components: {
      securitySchemes: {
        header: { type: "apiKey", in: "header", name: "X-Key" },
        cookie: { type: "apiKey", in: "cookie", name: "sid" },
        basic: { type: "http", scheme: "Basic" },
        open: { type: "openIdConnect" },
      },
    },
  });
  library.respond((response) => response.writeHead(204).end());
  const one = other.createClient({ baseUrl: library.url, token: "a:b" });
  await callOf(one, "header")();
  assert.equal(library.last.headers["x-key"], "a:b");
  await callOf(one, "cookie")();
  assert.equal(library.last.headers.cookie, "sid=a:b");
  await callOf(one, "basic")();
  assert.equal(library.last.headers.authorization, `Basic ${btoa("a:b")}`);
  await callOf(one, "any")();
  const { cookie, authorization, "x-key": key } = library.last.headers;
  assert.deepEqual([cookie, key, authorization], [undefined, undefined, "Bearer a:b"]);
  await callOf(one, "both")();
  assert.deepEqual([library.last.headers["x-key"], library.last.headers.authorization], [undefined, "Bearer a:b"]);
  await callOf(one, "keys")();
  assert.deepEqual([library.last.headers["x-key"], library.last.headers.cookie], [undefined, undefined]);
  await callOf(other.createClient({ baseUrl: library.url, token: { header: "h", open: "o" } }), "both")();
  assert.deepEqual([library.last.headers["x-key"], library.last.headers.authorization], ["h", "Bearer o"]);
});

test("a document without security schemes sends the token as bearer", async () => {
  const plain = await importClient({ openapi: "3.1.0", paths: { "/": { get: { operationId: "home" } } } });
  library.respondWith(200, "text/plain", "");
  await callOf(plain.createClient({ baseUrl: library.url, token: "t" }), "home")();
  assert.equal(library.last.headers.authorization, "Bearer t");
});

test("an undeclared redirect is followed, also by an operation that declares 304", async () => {
  const other = await importClient({
    openapi: "3.1.0",
    paths: {
      "/page": { get: { operationId: "page", responses: { 200: { description: "" }, 304: { description: "" } } } },
    },
  });
  library.respond((response) => {
    if (library.last.url === "/page") response.writeHead(302, { location: "/target" }).end();
    else response.writeHead(200).end();
  });
  assert.equal((await callOf(other.createClient({ baseUrl: library.url }), "page")()).status, 200);
  assert.equal(library.last.url, "/target");
});

test("a redirect that a browser hides is an undeclared status, also where a default is declared", async () => {
  const hidden = module.createClient({ fetch: async () => Response.error() }); // its status is 0, as that of the redirect
  await assert.rejects(callOf(hidden, "import")(), { name: "UndeclaredStatus", status: 0 });
});

test("an operation named then is then_, so that its group and the client can be awaited", async () => {
  const get = (operationId: string) => ({ get: { operationId, responses: { 204: { description: "" } } } });
  const other = await importClient({
    openapi: "3.1.0",
    paths: { "/a": get("then"), "/b": get("steps.then"), "/c": get("next.then.show") },
  });
  library.respond((response) => response.writeHead(204).end());
  const awaited = await other.createClient({ baseUrl: library.url });
  const group = await callOf(awaited, "steps");
  await callOf(group, "then_")();
  assert.equal(library.last.url, "/b");
  await callOf(awaited, "then_")();
  assert.equal(library.last.url, "/a");
  await callOf(await callOf(awaited, "next"), "then.show")();
  assert.equal(library.last.url, "/c");
});

test("headers of a call override those of the client", async () => {
  library.respondWith(200, "application/json", "[]");
  const own = module.createClient({ baseUrl: library.url, headers: { "x-a": "1", accept: "text/x" } });
  await callOf(own, "books.index")({}, { headers: { "X-A": "2" } });
  assert.deepEqual([library.last.headers["x-a"], library.last.headers.accept], ["2", "text/x"]);
});

test("another fetch takes the place of the global one, with the server of the document as the default", async () => {
  const seen: string[] = [];
  const own = module.createClient({
    fetch: async (request) => {
      seen.push(`${request.method} ${request.url}`);
      return Response.json(book);
    },
  });
  assert.deepEqual(await callOf(own, "books.show").orThrow({ id: 1 }), book);
  assert.deepEqual(seen, ["GET https://library.example/v1/books/1"]);
});

test("an unread body of a status without one does not keep its connection", async () => {
  const closed = Promise.withResolvers<void>();
  library.respond((response) => {
    response.writeHead(200, { "content-type": "text/plain" }).write("endless");
    once(response, "close").then(() => closed.resolve());
  });
  await callOf(client, "import")();
  await closed.promise;
});
