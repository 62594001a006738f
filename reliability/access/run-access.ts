import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { AccessError, type AccessFinding, fuzzAccess } from "@tenon/fuzz";
import { applications, linkPackages } from "./applications.ts";
import { dig, type Hole } from "./holes.ts";

export interface AccessRun {
  /** The key in `applications`. */
  readonly application: string;
  readonly hole?: Hole;
  readonly seed: number;
  readonly runs: number;
  /** The URL of an empty database. Defaults to SQLite in memory. */
  readonly database?: string;
}

/** Runs of applications whose sources are written once. */
export class AccessRuns {
  readonly #folder: string;
  readonly #sources = new Map<string, Promise<string>>();
  #count = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A copy of the sources, with the hole in it. */
  async prepare(application: string, hole?: Hole): Promise<string> {
    const copy = join(this.#folder, `run-${++this.#count}`);
    cpSync(await this.#sourcesOf(application), copy, { recursive: true });
    if (hole !== undefined) await dig(hole, copy);
    linkPackages(copy);
    return copy;
  }

  async find({
    application,
    hole,
    seed,
    runs,
    database = "sqlite::memory:",
  }: AccessRun): Promise<readonly AccessFinding[]> {
    const started = await find(application).start(await this.prepare(application, hole), database);
    try {
      await fuzzAccess(started.app, { ...started.options, runs, seed });
      return [];
    } catch (error) {
      if (error instanceof AccessError) return error.findings;
      throw error;
    } finally {
      await started.app.stop();
    }
  }

  #sourcesOf(name: string): Promise<string> {
    const known = this.#sources.get(name);
    if (known !== undefined) return known;
    const folder = join(this.#folder, name);
    mkdirSync(folder);
    const written = Promise.resolve(find(name).write(folder)).then(() => folder);
    this.#sources.set(name, written);
    return written;
  }
}

function find(name: string) {
  const application = applications[name];
  if (application === undefined) throw new Error(`there is no application ${name}`);
  return application;
}
