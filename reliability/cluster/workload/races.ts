import { setTimeout as sleep } from "node:timers/promises";
import type { Outcome } from "../history.ts";
import { type Answer, Client, textOf } from "./client.ts";
import { findUser, newEmail, type PartLoad, password, pickUrl, repeat, type Setting } from "./setting.ts";

/** Failed logins of one account until the limit refuses the next, as docs/sessions.md states it. */
const loginLimit = 20;
/** Milliseconds. */
const mostGuessTime = 30_000;

/** CL2: the same refresh token, ticket and job key on all instances at once, and guesses past the login limit. */
export function startRaces(setting: Setting): PartLoad {
  const { history } = setting;
  const client = new Client("races", history);
  const used = new Map<string, () => Promise<void>>();
  const race = async () => {
    const user = await findUser(setting, client);
    if (user === undefined) return;
    await repeat(
      setting,
      1500,
      (turn) => [raceRefresh, raceTicket, raceKey][turn % 3]?.(user.email) ?? Promise.resolve(),
    );
  };

  async function raceRefresh(email: string): Promise<void> {
    const issued = await client.run("issue token", { kind: "refresh" }, pickUrl(setting), {
      method: "POST",
      path: "/auth/token",
      json: { email, password },
      headers: newAddress(),
    });
    if (issued.status !== 200) return;
    const asked = { method: "POST", path: "/auth/refresh", json: { refresh_token: textOf(issued, "refresh_token") } };
    await raceToken("refresh", asked);
  }

  async function raceTicket(): Promise<void> {
    const asked = { method: "POST", path: "/cluster/tickets" };
    const issued = await client.run("issue token", { kind: "ticket" }, pickUrl(setting), asked);
    if (issued.status === 201)
      await raceToken("ticket", { method: "POST", path: `/cluster/tickets/${textOf(issued, "ticket")}` });
  }

  async function raceToken(kind: string, asked: Parameters<Client["run"]>[3]): Promise<void> {
    const values = { kind, token: crypto.randomUUID() };
    used.set(values.token, async () => {
      await client.run("use token", values, setting.url, asked);
    });
    await onAll((url) => client.run("use token", values, url, asked));
  }

  async function raceKey(): Promise<void> {
    const key = crypto.randomUUID();
    await onAll((url) => {
      const item = crypto.randomUUID();
      const asked = { method: "POST", path: "/cluster/items", json: { item, key } };
      return client.run("enqueue", { item, key }, url, asked, {
        valuesOf: ({ body }) => ({ job: Number(body.job), created: body.created === true }),
      });
    });
  }

  /** Twice on each instance and once by the public entry. */
  function onAll(act: (url: string) => Promise<unknown>): Promise<unknown> {
    return Promise.all([...setting.instanceUrls, ...setting.instanceUrls, setting.url].map(act));
  }

  /** Each instance guesses one after the other, until it has refused two: the limit is reached. */
  const guess = () =>
    repeat(setting, 10_000, async () => {
      const account = newEmail();
      const asked = {
        ...{ method: "POST", path: "/auth/login", headers: newAddress() },
        json: { email: account, password: "wrong horse" },
      };
      const deadline = Date.now() + mostGuessTime;
      await Promise.all(
        setting.instanceUrls.map(async (url) => {
          for (let refused = 0; refused < 2 && Date.now() < deadline && !setting.signal.aborted; ) {
            const { status } = await client.run("guess", { account, limit: loginLimit }, url, asked, { outcomeOf });
            if (status === 429) refused++;
            else if (status !== 401) await sleep(500);
          }
        }),
      );
    });

  return {
    ended: Promise.all([race(), guess()]),
    /** A token that was used is never accepted again. */
    verify: async () => {
      for (const use of used.values()) await use();
    },
  };
}

/** Whether the password was compared. */
function outcomeOf({ status }: Answer): Outcome {
  return status === 401 ? "ok" : status === 429 ? "failed" : "unknown";
}

/** Another address for each, because failures from one address are limited, too. */
function newAddress(): Readonly<Record<string, string>> {
  const [a = 0, b = 0] = crypto.getRandomValues(new Uint8Array(2));
  return { "x-forwarded-for": `198.18.${a}.${b}` };
}
