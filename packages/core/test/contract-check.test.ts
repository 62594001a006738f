import assert from "node:assert/strict";
import { test } from "node:test";
import {
  api,
  array,
  type ContractMismatch,
  content,
  createApp,
  dto,
  endpoint,
  HttpError,
  integer,
  jsonArray,
  type Middleware,
  type MiddlewareFunction,
  type Route,
  string,
} from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { ContractError, createTestApp } from "@tenon/core/testing";
import { z } from "zod";
import { LogLines } from "./support/log-lines.ts";
import { moduleOf } from "./support/transports.ts";

const Post = dto({ id: string("required"), views: integer("required", "min=0") });
const wrong = { id: 5, views: -1 } as unknown as { id: string; views: number }; // as data without types might be

class Guard implements Middleware {
  readonly contract = { errors: { 401: "Unauthorized" } };

  handle(): never {
    throw new HttpError(401, "Unauthorized");
  }
}

async function* rows() {
  yield { id: "1", views: 1 };
  yield wrong;
}

const undeclaredGuard: MiddlewareFunction = () => {
  throw new HttpError(403, "Forbidden");
};

interface Case {
  readonly title: string;
  readonly route: Pick<Route, "handler" | "middlewares">;
  /** Undefined for a response that its contract declares. */
  readonly message?: string;
}

const cases: readonly Case[] = [
  { title: "a declared body", route: { handler: endpoint({ returns: Post }, () => ({ id: "1", views: 0 })) } },
  {
    title: "wrong types and values",
    route: { handler: endpoint({ returns: Post }, () => wrong) },
    message:
      "GET / returned a body that its contract does not declare for 200:\n  id: must be a string\n  views: must be at least 0",
  },
  {
    title: "a wrong item of a list",
    route: { handler: endpoint({ returns: array(Post) }, () => [{ id: "1", views: 1 }, wrong]) },
    message:
      "GET / returned a body that its contract does not declare for 200:\n  1.id: must be a string\n  1.views: must be at least 0",
  },
  {
    title: "a wrong row of a stream",
    route: { handler: endpoint({ returns: array(Post) }, () => jsonArray(rows())) },
    message:
      "GET / returned a body that its contract does not declare for 200:\n  0.id: must be a string\n  0.views: must be at least 0",
  },
  {
    title: "another message than the declared ones",
    route: {
      handler: endpoint({ returns: Post, errors: { 404: ["Post not found", "Gone"] } }, () => {
        throw new HttpError(404, "Missing");
      }),
    },
    message: 'GET / declares "Post not found", "Gone" for 404, not the message "Missing"',
  },
  {
    title: "a message where a body is declared",
    route: {
      handler: endpoint({ returns: Post, errors: { 409: Post } }, () => {
        throw new HttpError(409, "Taken");
      }),
    },
    message:
      "GET / returned a body that its contract does not declare for 409:\n  id: is required\n  views: is required",
  },
  {
    title: "another media type",
    route: {
      handler: endpoint(
        { returns: content("text/csv") },
        () => new Response("<p>", { headers: { "content-type": "text/html" } }),
      ),
    },
    message: "GET / declares text/csv for 200, not text/html",
  },
  {
    title: "the status of a Response",
    route: { handler: endpoint({ returns: content("text/csv") }, () => new Response("", { status: 418 })) },
    message: "GET / does not declare the status 418, only 200",
  },
  {
    title: "a value that another library converts",
    route: { handler: endpoint({ returns: z.object({ a: z.string().transform(Number) }) }, () => ({ a: "5" })) },
  },
  {
    title: "a value that another library rejects",
    route: { handler: endpoint({ returns: z.object({ a: z.string() }) }, () => ({ a: 5 }) as never) },
    message:
      "GET / returned a body that its contract does not declare for 200:\n  a: Invalid input: expected string, received number",
  },
  {
    title: "an undeclared status",
    route: { handler: endpoint({ returns: Post }, (ctx) => ctx.status(202).json(wrong) as never) },
    message: "GET / does not declare the status 202, only 200",
  },
  {
    title: "an undeclared error that was thrown",
    route: {
      handler: endpoint({ returns: Post }, () => {
        throw new HttpError(404, "Not found");
      }),
    },
    message: "GET / does not declare the status 404, only 200",
  },
  {
    title: "an undeclared error that was returned",
    route: { handler: endpoint({ returns: Post }, () => new HttpError(404, "Not found")) },
    message: "GET / does not declare the status 404, only 200",
  },
  { title: "an error of a guard", route: { handler: endpoint({ returns: Post }, () => wrong), middlewares: [Guard] } },
  {
    title: "an error of a guard without a contract",
    route: { handler: endpoint({ returns: Post }, () => wrong), middlewares: [undeclaredGuard] },
    message: "GET / does not declare the status 403, only 200",
  },
  {
    title: "a declared error with another body",
    route: {
      handler: endpoint({ returns: Post, errors: { 422: dto({ reason: string("required") }) } }, (ctx) =>
        ctx.fail(422, {} as never),
      ),
    },
    message: "GET / returned a body that its contract does not declare for 422:\n  reason: is required",
  },
  {
    title: "rejected input",
    route: { handler: endpoint({ query: dto({ n: integer("required") }), returns: Post }, () => wrong) },
  },
  {
    title: "a crash, which is logged as such",
    route: {
      handler: endpoint({ returns: Post }, () => {
        throw new Error("crash");
      }),
    },
  },
  { title: "an endpoint that declares no result", route: { handler: endpoint({ summary: "x" }, () => wrong) } },
  {
    title: "an undeclared error where only errors are declared",
    route: {
      handler: endpoint({ errors: { 404: "Not found" } }, () => {
        throw new HttpError(409, "Taken");
      }),
    },
    message: "GET / does not declare the status 409, only 404",
  },
  {
    title: "any result where only errors are declared",
    route: { handler: endpoint({ errors: { 404: "x" } }, () => wrong) },
  },
];

for (const { title, route, message } of cases) {
  test(`${message === undefined ? "no mismatch" : "a mismatch"}: ${title}`, async () => {
    const log = new LogLines();
    const mismatches: ContractMismatch[] = [];
    const app = await createApp(moduleOf([{ method: "GET", path: "/", ...route }]), api(), {
      log: log.options,
      checkContracts: (mismatch) => mismatches.push(mismatch),
    });
    await app.fetch(new Request("http://localhost/"));
    await app.stop();
    assert.deepEqual(
      mismatches.map((mismatch) => mismatch.message),
      message === undefined ? [] : [message],
    );
    if (message !== undefined) assert.ok(log.messages("error").includes(message));
  });
}

test("a test fails with what differs, unless it asks otherwise", async () => {
  const module = moduleOf([{ method: "GET", path: "/", handler: endpoint({ returns: Post }, () => wrong) }]);
  const app = await createTestApp(module, api());
  await assert.rejects(app.request("GET", "/"), (error: ContractError) => {
    assert.ok(error instanceof ContractError);
    assert.deepEqual(
      error.mismatch.issues.map(({ path }) => path),
      ["id", "views"],
    );
    return true;
  });
  await app.stop();
  const lenient = await createTestApp(module, api(), { checkContracts: false });
  assert.equal((await lenient.request("GET", "/")).status, 200);
  await lenient.stop();
});

test("a command of a test fails likewise", async () => {
  const module = moduleOf([{ path: "show", handler: endpoint({ returns: Post }, () => wrong) }]);
  const app = await createTestApp(module, cli({ name: "blog" }));
  await assert.rejects(app.run(["show"]), ContractError);
  await app.stop();
});

test("in production nothing is compared, unless the application asks for it", async () => {
  const before = process.env.NODE_ENV;
  const module = moduleOf([{ method: "GET", path: "/", handler: endpoint({ returns: Post }, () => wrong) }]);
  for (const [options, logged] of [
    [{}, 0],
    [{ checkContracts: true }, 1],
  ] as const) {
    const log = new LogLines();
    process.env.NODE_ENV = "production";
    const app = await createApp(module, api(), { log: log.options, ...options });
    process.env.NODE_ENV = before;
    const response = await app.fetch(new Request("http://localhost/"));
    assert.deepEqual(await response.json(), { id: 5, views: -1 });
    assert.equal(log.messages("error").length, logged);
    await app.stop();
  }
});
