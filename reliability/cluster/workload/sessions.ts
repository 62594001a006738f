import { setTimeout as sleep } from "node:timers/promises";
import { sessionCookie } from "@tenon/auth";
import { Client, textOf } from "./client.ts";
import { findUser, type PartLoad, password, pickUrl, repeat, type Setting } from "./setting.ts";

/** A session, and how it is requested. */
interface Session {
  readonly session: string;
  readonly asked: Parameters<Client["run"]>[3];
}

const daySeconds = 86_400;
const leaseSeconds = 3;

/** CL3: sessions are opened, used on all instances, ended or left to expire, and used again. */
export function startSessions(setting: Setting): PartLoad {
  const client = new Client("sessions", setting.history);
  const over: Session[] = [];

  async function use({ session, asked }: Session): Promise<void> {
    await Promise.all(
      setting.instanceUrls.map((url, instance) => client.run("use session", { session, instance }, url, asked)),
    );
  }

  async function openAndEnd(email: string): Promise<void> {
    const session = crypto.randomUUID();
    const values = { session, seconds: daySeconds };
    const json = { email, password };
    const opened = await client.run("open session", values, pickUrl(setting), {
      method: "POST",
      path: "/auth/session",
      json,
    });
    const cookie = [opened.headers["set-cookie"] ?? []].flat().find((text) => text.startsWith(`${sessionCookie}=`));
    if (opened.status !== 201 || cookie === undefined) return;
    const headers = { cookie: cookie.split(";")[0] ?? "" };
    const one = { session, asked: { method: "GET", path: "/auth/session", headers } };
    await use(one);
    const ended = await client.run("end session", { session }, pickUrl(setting), {
      method: "POST",
      path: "/auth/logout",
      headers,
    });
    if (ended.status === 200) over.push(one);
    await use(one);
    await sleep(1000);
    await use(one);
  }

  async function openAndExpire(): Promise<void> {
    const session = crypto.randomUUID();
    const json = { seconds: leaseSeconds };
    const values = { session, seconds: leaseSeconds };
    const opened = await client.run("open session", values, setting.random.pick(setting.instanceUrls), {
      method: "POST",
      path: "/cluster/leases",
      json,
    });
    if (opened.status !== 201) return;
    const one = { session, asked: { method: "GET", path: `/cluster/leases/${textOf(opened, "lease")}` } };
    over.push(one);
    await use(one);
    await sleep((leaseSeconds + 2) * 1000);
    await use(one);
  }

  const end = async () => {
    const user = await findUser(setting, client);
    if (user !== undefined) await repeat(setting, 1000, () => openAndEnd(user.email));
  };
  return {
    ended: Promise.all([end(), repeat(setting, 500, openAndExpire)]),
    verify: async () => {
      for (const session of over) await use(session);
    },
  };
}
