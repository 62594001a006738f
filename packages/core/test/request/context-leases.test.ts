import assert from "node:assert/strict";
import { type Context, endpoint, type Next, route } from "@tenon/core";
import { leasesOf } from "@tenon/core/internal";
import { testOnBothTransports } from "../support/transports.ts";

const lease = { reason: "the ticket is no longer valid" };

testOnBothTransports(
  "a guard knows that a route is live, and leases that are added later are listed too",
  [
    {
      method: "GET",
      path: "/live",
      middlewares: [
        (ctx: Context, next: Next) => {
          if (ctx.isLive) ctx.addLease(lease);
          return next();
        },
      ],
      handler: endpoint({ live: { kind: "events", sends: {} } }, (ctx) => {
        const leases = leasesOf(ctx);
        ctx.addLease({ ...lease, expiresAt: 5 });
        return leases;
      }),
    },
    route.get("/plain", (ctx) => {
      const leases = leasesOf(ctx);
      const before = leases.length;
      ctx.addLease(lease);
      return [ctx.isLive, before, leases.length];
    }),
  ],
  async (call) => {
    assert.deepEqual(await (await call("GET", "/live")).json(), [lease, { ...lease, expiresAt: 5 }]);
    assert.deepEqual(await (await call("GET", "/plain")).json(), [false, 0, 1]);
  },
);
