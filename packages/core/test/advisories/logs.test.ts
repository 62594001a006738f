import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Context, dto, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { sendRaw } from "../support/raw-socket.ts";
import { moduleOf } from "../support/transports.ts";

const secrets = {
  password: "correct horse battery",
  token: "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0.c2lnbmF0dXJl",
  cookie: "3f2a9c1b-7d4e-4f5a-8b6c-0d1e2f3a4b5c",
  key: "tnn_c2VjcmV0IGtleQ",
};
const hostile = 'a\r\n{"level":"fatal","msg":"forged"}\n\u001b[2J\u0007\u0085\u2028\u009b31m';

const handler = async (ctx: Context) => {
  const bound = await ctx.bind(dto({ email: string(), password: string() }));
  ctx.log.info({ ...bound, headers: ctx.request().headers(), agent: ctx.header("user-agent") }, ctx.query("q"));
  ctx.log.warn({ body: { user: bound }, err: Object.assign(new Error(hostile), { password: bound.password }) });
  throw new Error(`failed for ${bound.email}`);
};

test("client input stays within its line of the log, and no secret is logged (K19, morgan GHSA-jxfw-x594-9x9m)", async () => {
  const chunks: string[] = [];
  const log = { level: "trace" as const, destination: { write: (text: string) => chunks.push(text) } };
  const app = await createTestApp(moduleOf([{ method: "POST", path: "/:text", handler }]), api(), { log });
  try {
    const { port } = await app.listen({ port: 0, signals: false });
    chunks.length = 0;
    const body = JSON.stringify({ email: hostile, password: secrets.password });
    const encoded = encodeURIComponent(hostile);
    const head = [
      `POST /${encoded}?q=${encoded}&password=${encodeURIComponent(secrets.password)} HTTP/1.1`,
      "Host: localhost",
      "Connection: close",
      "User-Agent: a\x9b2J\x85\tb",
      `X-Request-Id: ${hostile.replaceAll(/[^ -~]/g, "")}`,
      `Authorization: Bearer ${secrets.token}`,
      `Cookie: session_id=${secrets.cookie}`,
      `X-API-Key: ${secrets.key}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      "",
    ].join("\r\n");
    const { status } = await sendRaw(port, Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body)]));
    assert.equal(status, 500);
    const refused = await sendRaw(port, Buffer.from("GET /\x1b[2J\x85 HTTP/1.1\r\nHost: a\r\n\r\n", "latin1"));
    assert.equal(refused.status, 400);
  } finally {
    await app.stop();
  }
  assert.equal(chunks.length, 5, "two by the handler, its failure, the access log and the refusal");
  for (const chunk of chunks) {
    // one line feed, at its end, and nothing that a terminal would act upon
    assert.match(chunk, /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]+\n$/);
    assert.notEqual((JSON.parse(chunk) as { level: string }).level, "fatal");
    for (const [name, secret] of Object.entries(secrets)) assert.ok(!chunk.includes(secret), `${name} in ${chunk}`);
  }
});
