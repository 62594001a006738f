import { Tokens } from "@tenon/auth";
import { percentile } from "../../apps/reference/scripts/support/statistics.ts";
import { withAuth } from "../../packages/auth/test/support/auth-app.ts";
import { hostileTokens } from "../../packages/auth/test/support/hostile-tokens.ts";
import { mint } from "../../packages/auth/test/support/jwt.ts";
import type { Part } from "../part.ts";
import { judgeTests } from "../support/test-files.ts";

const largest = 8192;

export const part: Part = {
  id: "J1",
  title: "hostile access tokens through the guard",
  bar: "at least 120, all refused with 401 `Invalid token`; an 8 KB token is verified in < 1 ms",
  needs: [],
  fullOnly: true,
  async run(options) {
    const figures = await judgeTests(["hostile-tokens"], options, () => {});
    const time = await withAuth({}, async ({ app, clock }) => {
      const tokens = app.get(Tokens);
      const claims = { user_id: "ada", exp: clock.now() / 1000 + 3600 };
      const times: number[] = [];
      for (let count = 0; count < 500; count++) {
        // each is new, so that none is cached
        const empty = mint({ payload: { ...claims, count, filler: "" } }).length;
        const filler = "x".repeat(Math.floor((largest - empty - 4) * 0.75));
        const token = mint({ payload: { ...claims, count, filler } });
        const start = performance.now();
        const verified = await tokens.verify(token);
        times.push(performance.now() - start);
        if (verified === undefined || token.length < largest - 200) throw new Error(`a token of ${token.length} bytes`);
      }
      return percentile(times.slice(100), 0.5);
    });
    return figures
      .atLeast("hostile tokens", hostileTokens(1_800_000_000).length, 120)
      .inTime("8 KB token, median ms", time, 1)
      .done();
  },
};
