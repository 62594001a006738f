import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { HttpError, type MiddlewareFunction, type Route, route } from "@tenon/core";
import { withCommands } from "../support/terminal.ts";

const values: readonly [title: string, handler: Route["handler"], text: string, json: string][] = [
  ["undefined", () => undefined, "", ""],
  ["null", () => null, "null\n", "null\n"],
  ["a text", () => "Hello", "Hello\n", '"Hello"\n'],
  ["a number", async () => 42, "42\n", "42\n"],
  ["an object", () => ({ id: 1, name: "Ada" }), "id    1\nname  Ada\n", '{"id":1,"name":"Ada"}\n'],
  ["a list", () => [{ id: 1 }], "id\n1\n", '[{"id":1}]\n'],
  ["a status and JSON", (ctx) => ctx.status(201).json({ id: 1 }), "id  1\n", '{"id":1}\n'],
  ["a status and text", (ctx) => ctx.status(202).send("Later"), "Later\n", '"Later"\n'],
  ["a status and data", () => ({ _status: 201, data: [1, 2] }), "1\n2\n", "[1,2]\n"],
  ["bytes", () => new TextEncoder().encode("a\u0000b"), "a\u0000b", "a\u0000b"],
  ["a buffer", () => new Uint8Array([97]).buffer, "a", "a"],
  ["a stream", () => Readable.from(["a", "b"]), "ab", "ab"],
  ["a web response", () => new Response("body", { status: 201 }), "body", "body"],
  ["a web response without a body", () => new Response(null, { status: 204 }), "", ""],
  ["a redirect", (ctx) => ctx.redirect("/"), "", ""],
  [
    "what is generated",
    async function* () {
      yield { id: 1 };
      yield { id: 2 };
    },
    '{"id":1}\n{"id":2}\n',
    '{"id":1}\n{"id":2}\n',
  ],
];
for (const [title, handler, text, json] of values) {
  test(`${title} is printed for people, and with --json for programs`, () =>
    withCommands([{ path: "show", ...(handler === undefined ? {} : { handler }) }], async (app) => {
      assert.deepEqual(await app.run(["show"]), { code: 0, stdout: text, stderr: "" });
      assert.deepEqual(await app.run(["show", "--json"]), { code: 0, stdout: json, stderr: "" });
    }));
}

function throws(error: unknown): () => never {
  return () => {
    throw error;
  };
}
const circular: Record<string, unknown> = {};
circular.self = circular;

const failures: readonly [title: string, handler: Route["handler"], line: string, json: string][] = [
  ["{ error }", () => ({ error: "No" }), "No", '{"error":"No"}'],
  ["{ error, status }", () => ({ error: "No", status: 409 }), "No", '{"error":"No","status":409}'],
  ["a failed reply with text", (ctx) => ctx.status(404).send("Gone"), "Gone", '{"error":"Gone"}'],
  [
    "a failed reply with more to say",
    (ctx) => ctx.status(422).json({ issues: [1] }),
    "failed with status 422",
    '{"issues":[1]}',
  ],
  [
    "a failed web response",
    () => new Response("no", { status: 404 }),
    "failed with status 404",
    '{"error":"failed with status 404"}',
  ],
  ["an HttpError", throws(new HttpError(404, "Post not found")), "Post not found", '{"error":"Post not found"}'],
  ["any other error", throws(new Error("the disk\n  is full")), "the disk is full", '{"error":"the disk\\n  is full"}'],
  ["an error that colours", throws(new Error("\u001b[31mred")), "\\u001b[31mred", '{"error":"\\u001b[31mred"}'],
  [
    "an error of several errors",
    throws(new AggregateError([new Error("connect ECONNREFUSED ::1:5432"), new Error("other")])),
    "connect ECONNREFUSED ::1:5432",
    '{"error":"connect ECONNREFUSED ::1:5432"}',
  ],
  [
    "something that is not an error",
    throws("oops"),
    'the text "oops" was thrown',
    '{"error":"the text \\"oops\\" was thrown"}',
  ],
];
for (const [title, handler, line, json] of failures) {
  test(`${title} is one line on stderr and exit code 1, and with --json a document too`, () =>
    withCommands([{ path: "fail", ...(handler === undefined ? {} : { handler }) }], async (app) => {
      assert.deepEqual(await app.run(["fail"]), { code: 1, stdout: "", stderr: `blog: ${line}\n` });
      assert.deepEqual(await app.run(["fail", "--json"]), { code: 1, stdout: `${json}\n`, stderr: `blog: ${line}\n` });
    }));
}

test("a value that JSON cannot hold, a hook that fails and a stream that breaks are failures", () =>
  withCommands(
    [
      { path: "circular", handler: () => circular },
      route.command("hook", (ctx) => {
        ctx.onReply(() => {
          throw new Error("a broken hook");
        });
      }),
      route.command("stream", async function* () {
        yield "first\n";
        throw new Error("the source broke");
      }),
    ],
    async (app) => {
      const cyclic = await app.run(["circular"]);
      assert.deepEqual([cyclic.code, cyclic.stdout], [1, ""]);
      assert.match(cyclic.stderr, /^blog: Converting circular structure to JSON.*\n$/);
      assert.deepEqual(await app.run(["hook"]), {
        code: 1,
        stdout: "",
        stderr: "blog: the result could not be made\n",
      });
      assert.deepEqual(await app.run(["stream"]), {
        code: 1,
        stdout: "first\n",
        stderr: "blog: the source broke\n",
      });
    },
  ));

test("hooks see the status of a command's reply, failures included", async () => {
  const seen: number[] = [];
  const watch: MiddlewareFunction = (ctx, next) => {
    ctx.onReply((outgoing) => void seen.push(outgoing.status));
    return next();
  };
  await withCommands(
    [
      { path: "a", handler: (ctx) => ctx.status(201).send("a") },
      { path: "b", handler: throws(new HttpError(409, "Conflict")) },
      { path: "c", handler: throws(new Error("broken")) },
    ],
    async (app) => {
      for (const name of ["a", "b", "c"]) await app.run([name]);
    },
    { middlewares: [watch] },
  );
  assert.deepEqual(seen, [201, 409, 500]);
});
