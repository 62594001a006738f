import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../packages/core/test/support/random.ts";
import { type Caller, jsonOf, type TimedReply } from "./caller.ts";

const removed = Symbol("removed");

interface PostEntry {
  readonly id: string;
  /** The last acknowledged state. */
  state: string | typeof removed;
  /** Requested and never acknowledged: may have happened or not. */
  doubt: string | typeof removed | undefined;
}

interface Family {
  current: string;
  /** Acknowledged as used. */
  consumed: string | undefined;
  inDoubt: boolean;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

const password = "correct horse";

/** Writes, records what was acknowledged, and later verifies it. */
export class Ledger {
  acknowledged = 0;
  /** Acknowledged and missing. */
  readonly lost: string[] = [];
  /** Acknowledged and reverted. */
  readonly undone: string[] = [];
  readonly #caller: Caller;
  readonly #random: Random;
  readonly #posts = new Map<string, PostEntry>();
  #touched = new Set<PostEntry>();
  #tokens: string[] = [];
  #family: Family | undefined;
  #writer: (Credentials & { readonly token: string }) | undefined;
  #running = false;
  #work: Promise<unknown> | undefined;

  constructor(caller: Caller, random: Random) {
    this.#caller = caller;
    this.#random = random;
  }

  async begin(): Promise<void> {
    const email = `${randomUUID()}@example.com`;
    const reply = await this.#caller.call("POST", "/auth/register", { json: { email, password, name: "Ada" } });
    this.#writer = { email, password, token: jsonOf<{ token: string }>(reply).token };
    await this.#startFamily();
  }

  /** Starts clients, each on its own records, until `rest()`. */
  work(clients = 4): void {
    this.#running = true;
    this.#touched = new Set();
    this.#tokens = [];
    const jobs = [this.#registerAndRefresh(), ...Array.from({ length: clients }, () => this.#write())];
    this.#work = Promise.all(jobs);
  }

  /** Waits until this many more writes were acknowledged, for at most a few seconds. */
  async acknowledges(count: number): Promise<void> {
    const target = this.acknowledged + count;
    const deadline = performance.now() + 5000;
    while (this.acknowledged < target && performance.now() < deadline) await sleep(1);
  }

  /** Waits until all running requests have ended. */
  async rest(): Promise<void> {
    this.#running = false;
    await this.#work;
  }

  async #write(): Promise<void> {
    const own: PostEntry[] = [];
    const { token } = this.#owner;
    while (this.#running) {
      const usable = own.filter(({ state, doubt }) => state !== removed && doubt === undefined);
      const entry = usable[this.#random.below(usable.length + 1)];
      const title = randomUUID();
      if (entry === undefined) {
        const reply = await this.#try("POST", "/posts", { json: { title, content: "c" }, token });
        if (reply?.status !== 201) continue;
        const { id } = jsonOf<{ id: string }>(reply);
        const created: PostEntry = { id, state: title, doubt: undefined };
        this.#posts.set(id, created);
        this.#touched.add(created);
        own.push(created);
      } else {
        const remove = this.#random.below(4) === 0;
        entry.doubt = remove ? removed : title;
        this.#touched.add(entry);
        const json = { title, content: "c", published: true };
        const reply = remove
          ? await this.#try("DELETE", `/posts/${entry.id}`, { token })
          : await this.#try("PUT", `/posts/${entry.id}`, { json, token });
        if (reply?.status !== 200 && reply?.status !== 204) continue;
        entry.state = entry.doubt;
        entry.doubt = undefined;
      }
      this.acknowledged++;
    }
  }

  async #registerAndRefresh(): Promise<void> {
    for (let turn = 0; this.#running; turn++) {
      if (turn % 10 === 9) {
        const json = { email: `${randomUUID()}@example.com`, password, name: "Bob" };
        const reply = await this.#try("POST", "/auth/register", { json });
        if (reply?.status !== 201) continue;
        this.#tokens.push(jsonOf<{ token: string }>(reply).token);
      } else {
        const family = this.#family;
        if (family === undefined || family.inDoubt) return;
        family.inDoubt = true;
        const reply = await this.#try("POST", "/auth/refresh", { json: { refresh_token: family.current } });
        if (reply?.status === 401) this.undone.push("an issued refresh token is unknown");
        if (reply?.status !== 200) continue;
        family.consumed = family.current;
        family.current = jsonOf<{ refresh_token: string }>(reply).refresh_token;
        family.inDoubt = false;
      }
      this.acknowledged++;
    }
  }

  /** Undefined when there was no response. */
  async #try(method: string, path: string, options: object): Promise<TimedReply | undefined> {
    try {
      return await this.#caller.call(method, path, { ...options, timeout: 10_000 });
    } catch {
      return undefined;
    }
  }

  /** Compares the service with what was acknowledged since the last `work()`; `all` checks everything. */
  async verify({ all = false } = {}): Promise<void> {
    for (const entry of all ? this.#posts.values() : this.#touched) await this.#verifyPost(entry);
    for (const token of this.#tokens) {
      const { status } = await this.#caller.call("GET", "/auth/me", { token });
      if (status !== 200) this.lost.push(`a registered user (${status})`);
    }
    await this.#verifyFamily();
  }

  async #verifyPost(entry: PostEntry): Promise<void> {
    const reply = await this.#caller.call("GET", `/posts/${entry.id}`);
    const found = reply.status === 404 ? removed : jsonOf<{ title: string }>(reply).title;
    if (found !== entry.state && found !== entry.doubt) {
      if (found === removed) this.lost.push(`post ${entry.id}`);
      else this.undone.push(`post ${entry.id}: ${entry.state === removed ? "it is back" : "an older title"}`);
    }
    entry.state = found;
    entry.doubt = undefined;
  }

  /** The newest token works; the one before it, acknowledged as used, does not, which ends the family. */
  async #verifyFamily(): Promise<void> {
    const family = this.#family;
    if (family === undefined) return;
    const refresh = async (refresh_token: string) =>
      (await this.#caller.call("POST", "/auth/refresh", { json: { refresh_token } })).status;
    if (!family.inDoubt && (await refresh(family.current)) !== 200) this.lost.push("a refresh token");
    if (family.consumed !== undefined && (await refresh(family.consumed)) !== 401) {
      this.undone.push("a used refresh token works again");
    }
    await this.#startFamily();
  }

  async #startFamily(): Promise<void> {
    const { email } = this.#owner;
    const reply = await this.#caller.call("POST", "/auth/token", { json: { email, password } });
    const { refresh_token } = jsonOf<{ refresh_token: string }>(reply);
    this.#family = { current: refresh_token, consumed: undefined, inDoubt: false };
  }

  get #owner(): Credentials & { readonly token: string } {
    if (this.#writer === undefined) throw new Error("begin() comes first");
    return this.#writer;
  }
}
