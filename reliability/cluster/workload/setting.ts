import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../../packages/core/test/support/random.ts";
import type { History } from "../history.ts";
import { type Answer, type Client, call, textOf } from "./client.ts";

/** What every part of the workload works with. */
export interface Setting {
  /** The public entry. */
  readonly url: string;
  /** The instances themselves. */
  readonly instanceUrls: readonly string[];
  /** The URL of the primary, for what is only in the database. */
  readonly databaseUrl: string;
  readonly history: History;
  readonly random: Random;
  /** All users whose registration was requested. */
  readonly users: Set<string>;
  /** Aborted when the load ends. */
  readonly signal: AbortSignal;
}

/** The load of one part. */
export interface PartLoad {
  /** Resolves when the load has ended: `signal` was aborted. */
  readonly ended: Promise<unknown>;
  /** After all has healed: reads back what the history says, and writes what it has found. */
  verify(): Promise<void>;
}

export const password = "correct horse";

/** Again and again with a pause in milliseconds, until the load ends. */
export async function repeat({ signal }: Setting, pause: number, act: (turn: number) => Promise<unknown>) {
  for (let turn = 0; !signal.aborted; turn++) {
    await act(turn);
    await sleep(pause, undefined, { signal }).catch(() => {});
  }
}

/** Any entry: the public one half of the time. */
export function pickUrl({ url, instanceUrls, random }: Setting): string {
  return random.below(2) === 0 ? url : random.pick(instanceUrls);
}

/** A user that certainly exists, with an access token. Undefined when the load ends first. */
export async function findUser(setting: Setting, client: Client): Promise<UserAccount | undefined> {
  while (!setting.signal.aborted) {
    const email = newEmail();
    const answer = await register(setting, client, email);
    if (answer.status === 201) return { email, token: textOf(answer, "token") };
    await sleep(500);
  }
  return undefined;
}

export interface UserAccount {
  readonly email: string;
  readonly token: string;
}

export function newEmail(): string {
  return `${crypto.randomUUID()}@example.com`;
}

export function register(setting: Setting, client: Client, email: string): Promise<Answer> {
  setting.users.add(email);
  const json = { email, password, name: "Ada" };
  return client.run("register", { user: email }, pickUrl(setting), { method: "POST", path: "/auth/register", json });
}

/** Repeats a read until it has a response, for at most a minute: after the healing every read must have one. */
export async function askAgain(url: string, asked: Parameters<typeof call>[1]): Promise<Answer> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const answer = await call(url, asked);
    if ((answer.status >= 200 && answer.status < 500 && answer.status !== 429) || Date.now() > deadline) return answer;
    await sleep(500);
  }
}
