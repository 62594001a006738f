import assert from "node:assert/strict";
import { explainForeignOrigin, isSameOrigin } from "@tenon/core";
import { testOnBothTransports } from "../support/transports.ts";

const route = {
  method: "POST" as const,
  path: "/",
  handler: (ctx: Parameters<typeof isSameOrigin>[0]) => ({
    isForeign: explainForeignOrigin(ctx) !== undefined,
    isSame: isSameOrigin(ctx),
  }),
};

const foreign = { isForeign: true, isSame: false };
const same = { isForeign: false, isSame: true };
const unknown = { isForeign: false, isSame: false };

testOnBothTransports(
  "Sec-Fetch-Site and Origin decide: without them, and with none, a request is neither foreign nor of this site",
  [route],
  async (call) => {
    const own = new URL((await call("GET", "/")).url || "http://localhost").origin; // over a socket the host has a port
    const cases: readonly [site: string, origin: string, expected: object][] = [
      ["", "", unknown],
      ["none", "", unknown],
      ["none", own, unknown],
      ["none", "https://evil.example", foreign],
      ["same-origin", "", same],
      ["same-origin", own, same],
      ["same-origin", "https://evil.example", foreign],
      ["same-site", "", foreign],
      ["cross-site", own, foreign],
      ["", own, same],
      ["", own.replace("http:", "https:"), same],
      ["", "https://evil.example", foreign],
      ["", "null", foreign],
    ];
    for (const [site, origin, expected] of cases) {
      const headers = {
        ...(site === "" ? {} : { "sec-fetch-site": site }),
        ...(origin === "" ? {} : { origin }),
      };
      const reply = await call("POST", "/", { headers });
      assert.deepEqual(await reply.json(), expected, `${site} ${origin}`);
    }
  },
);
