import { randomUUID } from "node:crypto";
import pg from "pg";
import type { EngineControl, EngineInfo, Settings } from "./engine.ts";
import { EngineChild } from "./engine-child.ts";

const postgresUrl = process.env.TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/postgres";
export const redisUrl = process.env.TEST_REDIS_URL ?? "redis://127.0.0.1:6379";

/** A store of its own for one trial of an engine. */
export interface Trial {
  /** The store of the engine. */
  readonly url: string;
  /** A database with the table `bench_facts`: the store of the engine where that is PostgreSQL. */
  readonly postgresUrl: string;
  readonly control: EngineControl;
  readonly facts: pg.Client;
  /** A process with the engine, ended after the trial. */
  start(): Promise<EngineChild>;
}

export async function withTrial<T>(
  engine: EngineInfo,
  settings: Settings,
  body: (trial: Trial) => Promise<T>,
): Promise<T> {
  return withDatabase(async (database) => {
    const facts = new pg.Client({ connectionString: database, application_name: "bench control" });
    await facts.connect();
    await facts.query("create table bench_facts (job integer not null)");
    const url = engine.store === "redis" ? `${redisUrl}/${randomUUID()}` : database;
    await engine.prepare(url);
    const control = await engine.control(url);
    const children: EngineChild[] = [];
    const start = async () => {
      const child = await EngineChild.start({ engine: engine.name, settings, url, postgresUrl: database });
      children.push(child);
      return child;
    };
    try {
      return await body({ url, postgresUrl: database, control, facts, start });
    } finally {
      await Promise.all(children.map((child) => child.kill()));
      await control.close();
      await facts.end();
    }
  });
}

/** A database of its own on the machine's server, dropped afterwards. */
export async function withDatabase<T>(body: (url: string) => Promise<T>): Promise<T> {
  const name = `tenon_bench_${randomUUID().replaceAll("-", "")}`;
  const admin = new pg.Client({ connectionString: postgresUrl });
  await admin.connect();
  try {
    await admin.query(`create database ${name}`);
    const url = new URL(postgresUrl);
    url.pathname = `/${name}`;
    return await body(url.href);
  } finally {
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
  }
}
