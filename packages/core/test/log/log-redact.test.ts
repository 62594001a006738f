import assert from "node:assert/strict";
import { test } from "node:test";
import type { Log } from "@tenon/core";
import { createLog } from "../../src/log/log.ts";
import { plainNames, secretNames } from "../support/secret-names.ts";

/** What one call of a log writes, parsed. */
function written(use: (log: Log) => void): Record<string, unknown> {
  const lines: string[] = [];
  use(createLog({ destination: { write: (line) => lines.push(line) } }));
  assert.equal(lines.length, 1);
  const { level: _, time: __, ...fields } = JSON.parse(lines[0] ?? "") as Record<string, unknown>; // pino writes one object a line
  return fields;
}

const secret = "hunter2";

test("secrets are replaced by name, in any case and spelling", () => {
  for (const name of secretNames) {
    assert.deepEqual(
      written((log) => log.info({ [name]: secret })),
      { [name]: "[redacted]" },
    );
  }
});

test("what is not a secret stays", () => {
  const fields = {
    path: "/tokens",
    user_id: "u1",
    tokenizer: "bpe",
    cookieless: true,
    keys: 3,
    code: "ECONNREFUSED",
    author: "ada",
    id: "1",
    ...Object.fromEntries(plainNames.map((name) => [name, "plain"])),
  };
  assert.deepEqual(
    written((log) => log.info(fields)),
    fields,
  );
});

test("secrets are replaced however they are nested: objects, lists, instances, toJSON, bare objects", () => {
  class User {
    readonly name = "ada";
    readonly password = secret;
  }
  class Money {
    toJSON() {
      return { amount: 5, token: secret };
    }
  }
  const bare = Object.assign(Object.create(null), { cookie: secret });
  const fields = {
    a: { b: { c: { d: { e: { token: secret, seen: 1 } } } } },
    list: [{ password: secret }, [new User()]],
    money: new Money(),
    bare,
    password: { even: secret },
  };
  assert.deepEqual(
    written((log) => log.info(fields)),
    {
      a: { b: { c: { d: { e: { token: "[redacted]", seen: 1 } } } } },
      list: [{ password: "[redacted]" }, [{ name: "ada", password: "[redacted]" }]],
      money: { amount: 5, token: "[redacted]" },
      bare: { cookie: "[redacted]" },
      password: "[redacted]",
    },
  );
});

test("below the depth that is followed nothing is written at all", () => {
  let nested: object = { password: secret };
  for (let depth = 0; depth < 20; depth++) nested = { nested };
  const text = JSON.stringify(written((log) => log.info({ nested })));
  assert.equal(text.includes(secret), false);
  assert.match(text, /"\[cut\]"/);
});

test("a header list as it came over the wire loses the values of its secrets", () => {
  const rawHeaders = ["Host", "a", "Authorization", secret, "cookie", secret, "Accept", "*/*"];
  assert.deepEqual(
    written((log) => log.info({ rawHeaders, pairs: [["X-Api-Key", secret]] })),
    {
      rawHeaders: ["Host", "a", "Authorization", "[redacted]", "cookie", "[redacted]", "Accept", "*/*"],
      pairs: [["X-Api-Key", "[redacted]"]],
    },
  );
});

test("the fields of a child are redacted, and of its children", () => {
  assert.deepEqual(
    written((log) =>
      log
        .child({ token: secret, a: 1 })
        .child({ password: secret, b: { cookie: secret } })
        .info("x"),
    ),
    { token: "[redacted]", a: 1, password: "[redacted]", b: { cookie: "[redacted]" }, msg: "x" },
  );
});

test("an error keeps its type, message, stack and cause, and loses the secrets it carries", () => {
  const cause = Object.assign(new TypeError("refused"), { config: { headers: { Authorization: secret } } });
  const error = Object.assign(new RangeError("call failed", { cause }), { code: "E_CALL", token: secret });
  const { err, msg } = written((log) => log.error({ err: error })) as { err: typeof error; msg: string }; // as written below
  assert.equal(msg, "call failed");
  assert.deepEqual(err, {
    type: "RangeError",
    message: "call failed",
    stack: error.stack,
    cause: {
      type: "TypeError",
      message: "refused",
      stack: cause.stack,
      config: { headers: { Authorization: "[redacted]" } },
    },
    code: "E_CALL",
    token: "[redacted]",
  });
});

test("an error logged by itself, under another name, frozen, or in a group is written just as well", () => {
  const error = Object.freeze(new Error("frozen"));
  const line = written((log) => log.error(error)) as { err: Error; msg: string }; // as written below
  assert.deepEqual([line.err.message, line.err.stack, line.msg], ["frozen", error.stack, "frozen"]);
  const group = new AggregateError([error, "text"], "several");
  const { reason } = written((log) => log.warn({ reason: group })) as { reason: AggregateError }; // as written below
  assert.equal(reason.message, "several");
  assert.deepEqual(reason.errors, [{ type: "Error", message: "frozen", stack: error.stack }, "text"]);
});

test("a cause that leads back to its error ends there", () => {
  const error = new Error("round");
  error.cause = error;
  const { err } = written((log) => log.error({ err: error })) as { err: Error }; // as written below
  assert.equal(err.cause, "[circular]");
});

test("circles, huge values, bytes, odd numbers and names do no harm", () => {
  const circle: Record<string, unknown> = { name: "circle" };
  circle.self = circle;
  const wide: Record<string, unknown> = {};
  for (let index = 0; index < 100; index++) wide[`key${index}`] = wide.key0 === undefined ? { wide } : { ...wide };
  const fields = {
    circle,
    bytes: new Uint8Array(1_000_000),
    big: 10n,
    when: new Date(0),
    nothing: null,
    dropped: undefined,
    ["__proto__"]: "own",
    wide,
  };
  const line = written((log) => log.info(fields));
  assert.deepEqual(line.circle, { name: "circle", self: "[circular]" });
  assert.equal(line.bytes, "[1000000 bytes]");
  assert.equal(line.big, 10);
  assert.equal(line.when, "1970-01-01T00:00:00.000Z");
  assert.equal(line.nothing, null);
  assert.equal(Object.hasOwn(line, "dropped"), false);
  assert.equal(Object.getOwnPropertyDescriptor(line, "__proto__")?.value, "own");
  assert.ok(JSON.stringify(line).length < 100_000, "the size of a line is bounded");
});

test("a long list is cut, and says so", () => {
  const { list } = written((log) => log.info({ list: Array(5000).fill(0) })) as { list: unknown[] }; // as written below
  assert.equal(list.length, 2000);
  assert.equal(list.at(-1), "[cut]");
});

test("what cannot be read costs its field, and nothing else", () => {
  const unreadable = {
    get broken(): string {
      throw new Error("no");
    },
    toJSON() {
      throw new Error("no");
    },
  };
  const err = Object.defineProperty(new Error("seen"), "detail", { enumerable: true, get: () => unreadable.broken });
  const line = written((log) => log.info({ unreadable, err, a: 1 }, "still here")) as { err: Error; msg: string }; // as written below
  assert.equal(line.err.message, "seen");
  assert.deepEqual(
    { ...line, err: { ...line.err, stack: "" } },
    {
      unreadable: "[unreadable]",
      err: { type: "Error", message: "seen", stack: "", detail: "[unreadable]" },
      a: 1,
      msg: "still here",
    },
  );
});

test("the development fields of an error are in the log of development without secrets, and not in production", () => {
  const inner = Object.defineProperty(new Error("store failure"), "development", {
    value: { sql: "select * from users", token: "t0p" },
  });
  for (const development of [true, false]) {
    const lines: string[] = [];
    createLog({ destination: { write: (line) => lines.push(line) } }, development).error({
      err: new Error("failed", { cause: inner }),
    });
    assert.equal(lines.join("").includes("select * from users"), development);
    assert.doesNotMatch(lines.join(""), /t0p/);
  }
});
