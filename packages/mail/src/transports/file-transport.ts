import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findLinks, type Message, mostStored, type StoredMail, type Transport } from "../message.ts";

const extension = ".json";
const fileName = /^\d{17}-[0-9a-f]{8}\.json$/;

/** Writes each mail to a file instead of sending it. All processes with the same folder see the same mails. */
export class FileTransport implements Transport {
  readonly delivers = false;
  readonly place: string;
  readonly guarantee = `not sent: the newest ${mostStored} are kept in files`;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.place = `file ${folder}`;
  }

  async send(message: Message): Promise<void> {
    const sentAt = new Date().toISOString();
    const id = `${sentAt.replace(/\D/g, "")}-${randomBytes(4).toString("hex")}`;
    const path = join(this.#folder, id + extension);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 }); // mails contain tokens
    const mail: StoredMail = { id, sentAt, ...message, links: findLinks(message) };
    await writeFile(`${path}.part`, `${JSON.stringify(mail, null, 2)}\n`, { mode: 0o600 });
    await rename(`${path}.part`, path); // a reader must not see half a file
    await this.#prune();
  }

  async list(): Promise<readonly StoredMail[]> {
    const mails = await Promise.all((await this.#names()).slice(0, mostStored).map((name) => this.#read(name)));
    return mails.filter((mail) => mail !== undefined);
  }

  async find(id: string): Promise<StoredMail | undefined> {
    const name = id + extension;
    return fileName.test(name) ? this.#read(name) : undefined;
  }

  /** The newest first. */
  async #names(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(toNothing);
    return (names ?? [])
      .filter((name) => fileName.test(name))
      .sort()
      .reverse();
  }

  async #read(name: string): Promise<StoredMail | undefined> {
    const text = await readFile(join(this.#folder, name), "utf8").catch(toNothing);
    return text === undefined ? undefined : (JSON.parse(text) as StoredMail); // written by send()
  }

  async #prune(): Promise<void> {
    for (const name of (await this.#names()).slice(mostStored)) await rm(join(this.#folder, name), { force: true });
  }
}

function toNothing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error; // an error of the file system
}
