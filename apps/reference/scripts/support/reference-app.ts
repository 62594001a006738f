import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, createApp, type HttpApp } from "@tenon/core";
import { createAppModule } from "../../src/app.module.ts";
import { createPlatform } from "../../src/serve.ts";

export interface RunningApp {
  readonly app: App & HttpApp;
  readonly url: string;
  stop(): Promise<void>;
}

/** The reference service on a free port and a temporary folder, without the login limit. */
export async function startReferenceApp(options: {
  readonly bcryptCost: number;
  /** Defaults to a temporary SQLite file. */
  readonly databaseUrl?: string;
}): Promise<RunningApp> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-measure-"));
  const config = {
    bcryptCost: options.bcryptCost,
    databaseUrl: options.databaseUrl ?? `sqlite:${join(folder, "blog.db")}`,
    jwtSecret: "a secret for measurements, 32 byt",
    loginRateLimit: false,
  };
  const app = await createApp(createAppModule(), createPlatform(), { config, log: { level: "silent" } });
  const { url } = await app.listen({ port: 0, host: "127.0.0.1", signals: false });
  return {
    app,
    url,
    async stop() {
      await app.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function register(url: string, user: { email: string; password: string; name: string }): Promise<string> {
  const response = await fetch(`${url}/auth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(user),
  });
  if (response.status !== 201) throw new Error(`registration: ${response.status} ${await response.text()}`);
  const { token } = (await response.json()) as { token: string }; // a LoginResponse
  return token;
}

export function login(url: string, email: string, password: string): Promise<Response> {
  return fetch(`${url}/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
}
