import { test } from "node:test";
import { type AuthOptions, authModule } from "@tenon/auth";
import { type ApiOptions, api, type Class, defineModule, type Module, type Provider } from "@tenon/core";
import { createTestApp, FakeClock, type TestHttpApp, useClock } from "@tenon/core/testing";
import { type DataOptions, dataModule } from "@tenon/data";
import { LogLines } from "../../../core/test/support/log-lines.ts";

export const secret = "a secret of the tests, with 32 b";

export interface AuthSetup {
  readonly auth?: Partial<AuthOptions>;
  readonly data?: DataOptions;
  /** Controllers that use the services and the guards. */
  readonly declarations?: readonly (Class | Provider)[];
  readonly override?: readonly Provider[];
  readonly api?: ApiOptions;
}

export interface AuthApp {
  readonly app: TestHttpApp;
  readonly clock: FakeClock;
  readonly log: LogLines;
}

export function authAppModule({
  auth = {},
  data = { database: "sqlite::memory:" },
  declarations = [],
}: AuthSetup): Module {
  const stores = dataModule(data);
  const services = authModule(stores, { secret, bcryptCost: 10, passwordWait: 600_000, ...auth });
  return defineModule({ name: "app", imports: [stores, services], declarations });
}

/** A started application with real stores and a clock that the test controls. */
export async function withAuth<T>(setup: AuthSetup, body: (parts: AuthApp) => Promise<T>): Promise<T> {
  const clock = new FakeClock("2026-03-01T12:00:00Z");
  const log = new LogLines();
  const app = await createTestApp(authAppModule(setup), api(setup.api), {
    log: log.options,
    override: [useClock(clock), ...(setup.override ?? [])],
  });
  try {
    return await body({ app, clock, log });
  } finally {
    await app.stop();
  }
}

/** Sends one request with these headers, in process or over a socket. */
export type Ask = (
  path: string,
  headers?: Readonly<Record<string, string>>,
  init?: RequestInit,
) => Promise<{ readonly status: number; readonly body: unknown; readonly headers: Headers }>;

/** Runs one test twice: in process through `app.fetch`, and over a real socket. */
export function testOnBothTransports(
  name: string,
  setup: AuthSetup,
  body: (ask: Ask, parts: AuthApp) => Promise<void>,
): void {
  test(`${name} (fetch)`, () =>
    withAuth(setup, (parts) =>
      body(async (path, headers = {}, init = {}) => {
        const request = new Request(`http://localhost${path}`, { ...init, headers });
        return read(await parts.app.fetch(request));
      }, parts),
    ));
  test(`${name} (socket)`, () =>
    withAuth(setup, async (parts) => {
      const { url } = await parts.app.listen({ port: 0, signals: false });
      await body(
        async (path, headers = {}, init = {}) => read(await fetch(`${url}${path}`, { ...init, headers })),
        parts,
      );
    }));
}

async function read(response: Response) {
  const text = await response.text();
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  return { status: response.status, body, headers: response.headers };
}
