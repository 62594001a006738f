import { globSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { Figures, type Part } from "../part.ts";
import { Caller, jsonOf } from "../support/caller.ts";
import { withService } from "../support/service.ts";
import { judgeTests } from "../support/test-files.ts";

const [library] = globSync("/usr/lib/*/faketime/libfaketime.so.1");
const day = 86_400;
// longer than the part may take: each clock needs a service of its own, and the lifetimes begin with the first. The tests
// with the injected clock are exact to the second
const shortly = 900;

export const part: Part = {
  id: "C1",
  title: "lifetimes to the second, with an injected clock and with the clock of the process set forward and back",
  bar: "valid at T−1 s, invalid at T: token 24 h, session 24 h, refresh token 7 d; a clock set back by 1 h never makes an expired session or refresh token valid",
  needs: [],
  async run(options) {
    const files = [
      "apps/reference/test/conformance/limits",
      "packages/auth/test/sessions",
      "packages/auth/test/refresh-tokens",
    ];
    const figures = await (options.short
      ? new Figures()
      : judgeTests(files, options, () => {}, "C1|A20|hours|7 days|seven days"));
    if (library === undefined) figures.note("libfaketime is not on this machine: injected clock only");
    else await withOtherClocks(figures, library);
    return figures.done();
  },
};

interface Credentials {
  readonly token: string;
  readonly cookie: string;
  readonly early: string;
  readonly late: string;
  readonly later: string;
}

function withOtherClocks(figures: Figures, preload: string): Promise<void> {
  return withFolder(async (folder) => {
    const database = { DATABASE_URL: `sqlite:${join(folder, "blog.db")}` };
    const at = async <T>(seconds: number, body: (caller: Caller) => Promise<T>): Promise<T> => {
      const clock = { LD_PRELOAD: preload, FAKETIME: `+${seconds}s`, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
      return withService({ env: seconds === 0 ? database : { ...database, ...clock } }, async ({ url }) => {
        const caller = new Caller(url);
        try {
          return await body(caller);
        } finally {
          caller.close();
        }
      });
    };
    const given = await at(0, logIn);
    const bearer = async (caller: Caller) => (await caller.call("GET", "/auth/me", { token: given.token })).status;
    const session = async (caller: Caller) =>
      (await caller.call("GET", "/auth/session", { headers: { cookie: given.cookie } })).status;
    const refresh = async (caller: Caller, refresh_token: string) =>
      (await caller.call("POST", "/auth/refresh", { json: { refresh_token } })).status;

    await at(day - shortly, async (caller) => {
      figures.exactly("token before 24 h", await bearer(caller), 200);
      figures.exactly("session before 24 h", await session(caller), 200);
    });
    await at(day + 1, async (caller) => {
      figures.exactly("token after 24 h", await bearer(caller), 401);
      figures.exactly("session after 24 h", await session(caller), 401);
    });
    await at(day - 3600, async (caller) => {
      figures.exactly("session, clock set back 1 h", await session(caller), 401);
    });
    await at(7 * day - shortly, async (caller) => {
      figures.exactly("refresh before 7 d", await refresh(caller, given.early), 200);
    });
    await at(7 * day + 1, async (caller) => {
      figures.exactly("refresh after 7 d", await refresh(caller, given.late), 401);
    });
    await at(7 * day - 3600, async (caller) => {
      figures.exactly("refresh, clock set back 1 h", await refresh(caller, given.late), 401);
    });
    await at(9 * day, async (caller) => {
      figures.exactly("refresh after 9 d", await refresh(caller, given.later), 401);
    });
    await at(6 * day, async (caller) => {
      figures.exactly("refresh, clock set back 3 d", await refresh(caller, given.later), 401);
    });
  });
}

async function logIn(caller: Caller): Promise<Credentials> {
  const user = { email: "ada@example.com", password: "correct horse", name: "Ada" };
  const { token } = jsonOf<{ token: string }>(await caller.call("POST", "/auth/register", { json: user }));
  const session = await caller.call("POST", "/auth/session", { json: user });
  const pair = async () =>
    jsonOf<{ refresh_token: string }>(await caller.call("POST", "/auth/token", { json: user })).refresh_token;
  const cookie = session.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  return { token, cookie, early: await pair(), late: await pair(), later: await pair() };
}
