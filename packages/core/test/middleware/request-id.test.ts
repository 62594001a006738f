import assert from "node:assert/strict";
import { type Routes, route } from "@tenon/core";
import { requestId } from "@tenon/core/middleware";
import { testOnBothTransports } from "../support/transports.ts";

const routes: Routes = [
  route.get("/", (ctx) => {
    ctx.log.info("handled");
    return { id: ctx.id };
  }),
];
const random = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

testOnBothTransports(
  "a request keeps the id that its client gave, in the handler, in the log and in the reply",
  routes,
  async (call, _, log) => {
    for (const id of ["trace-1:a.b_c", "x".repeat(128)]) {
      const res = await call("GET", "/", { headers: { "x-request-id": id } });
      assert.equal(res.headers.get("x-request-id"), id);
      assert.deepEqual(await res.json(), { id });
      assert.equal(log.all.findLast((line) => line.msg === "handled")?.id, id);
    }
  },
  { middlewares: [requestId()] },
);

testOnBothTransports(
  "a request without an id, or with one that no log should carry, gets a random one, on misses too",
  routes,
  async (call) => {
    for (const given of ["", "a b", "x".repeat(129), '"}', "a\tb", "é", "a,b", "<b>"]) {
      for (const path of ["/", "/nowhere"]) {
        const res = await call("GET", path, { headers: { "x-request-id": given } });
        assert.match(res.headers.get("x-request-id") ?? "", random, given);
      }
    }
  },
  { middlewares: [requestId()] },
);

testOnBothTransports(
  "clients that are not trusted cannot choose an id",
  routes,
  async (call) => {
    const res = await call("GET", "/", { headers: { "x-request-id": "mine" } });
    assert.match(res.headers.get("x-request-id") ?? "", random);
  },
  { middlewares: [requestId({ trust: false })] },
);
