import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";

const postgresUrl = process.env.TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/postgres";
const redisUrl = process.env.TEST_REDIS_URL ?? "redis://127.0.0.1:6379";

function isReachable(url: string, port: number): Promise<boolean> {
  const { hostname, port: given } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(given || port), hostname);
    socket.setTimeout(60_000, () => socket.destroy()); // a busy machine is slow to accept, and quick to refuse
    socket.once("connect", () => {
      resolve(true);
      socket.destroy();
    });
    socket.once("error", () => {});
    socket.once("close", () => resolve(false));
  });
}

/** The services that are reachable. REQUIRE_SERVICES=1 turns a missing one into a failure. */
export const services = {
  postgres: (await isReachable(postgresUrl, 5432)) ? postgresUrl : undefined,
  redis: (await isReachable(redisUrl, 6379)) ? redisUrl : undefined,
};

const missing = Object.entries(services).filter(([, url]) => url === undefined);
if (missing.length > 0) {
  const names = missing.map(([name]) => name).join(" and ");
  if (process.env.REQUIRE_SERVICES === "1") throw new Error(`REQUIRE_SERVICES is set and ${names} cannot be reached`);
  process.stdout.write(`left out: the tests that need ${names} (not reachable on this machine)\n`);
}

/** A database of its own on the server, dropped afterwards. */
export async function withPostgres<T>(body: (url: string) => Promise<T>): Promise<T> {
  const name = `tenon_${randomUUID().replaceAll("-", "")}`;
  const admin = new pg.Client({ connectionString: services.postgres });
  await admin.connect();
  try {
    await admin.query(`create database ${name}`);
    const url = new URL(services.postgres ?? "");
    url.pathname = `/${name}`;
    return await body(url.href);
  } finally {
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
  }
}

/** A folder for one test, removed afterwards. */
export async function withFolder<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-"));
  try {
    return await body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
