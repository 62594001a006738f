import { after, before, describe, test } from "node:test";
import { useFastPasswords } from "@tenon/auth";
import type { HttpApp, Module, Platform, Provider } from "@tenon/core";
import { createTestApp, FakeClock, type TestAppOptions, type TestHttpApp, useClock } from "@tenon/core/testing";
import { LogLines } from "../../../../packages/core/test/support/log-lines.ts";
import { type BlogOptions, createAppModule } from "../../src/app.module.ts";
import type { ConfigModule } from "../../src/config.ts";
import { createPlatform as createApiPlatform } from "../../src/serve.ts";
import type { Client } from "./client.ts";
import { DescribedClient } from "./described-client.ts";
import { hold } from "./hold.ts";
import { type Storage, type StorageUrls, storages } from "./storages.ts";
import { Users } from "./users.ts";

/** A started service, with a client and access to its internals. */
export interface Blog {
  readonly app: TestHttpApp;
  readonly client: Client;
  readonly users: Users;
  readonly log: LogLines;
  readonly clock: FakeClock;
  readonly urls: StorageUrls;
}

/** Values of the configuration. */
export type ConfigValues = NonNullable<TestAppOptions<ConfigOf<typeof ConfigModule>>["config"]>;
type ConfigOf<M> = M extends Module<infer Values> ? Values : never;

export interface StartOptions {
  /** Without a `bcryptCost`, passwords are hashed with the lowest cost. */
  readonly config?: ConfigValues;
  readonly options?: BlogOptions;
  readonly override?: readonly Provider[];
  /** Defaults to the full reference. */
  readonly createModule?: (options?: BlogOptions) => Module;
  readonly createPlatform?: () => Platform<HttpApp>;
  /** Where the tests run; defaults to all. */
  readonly on?: readonly Storage[];
}

export const jwtSecret = "a secret of the tests, thirty-two bytes and more";

export function toConfig(urls: StorageUrls, config: ConfigValues = {}): ConfigValues {
  return { port: 0, jwtSecret, bcryptCost: 10, mailUrl: "memory:", ...urls, ...config };
}

/** Starts the service in this process, on a free port. */
export async function withBlog<T>(
  urls: StorageUrls,
  body: (blog: Blog) => Promise<T>,
  start: StartOptions = {},
): Promise<T> {
  const { config, options = {}, override = [], createModule = createAppModule } = start;
  const { createPlatform = createApiPlatform } = start;
  const log = new LogLines();
  const clock = new FakeClock(Math.floor(Date.now() / 1000) * 1000); // at a whole second, as tokens count
  // on a busy machine the password queue must not reject the tests
  const module = createModule({ passwordWait: 60_000, ...options });
  const app = await createTestApp(module, createPlatform(), {
    config: toConfig(urls, config),
    override: [useClock(clock), ...(config?.bcryptCost === undefined ? [useFastPasswords()] : []), ...override],
    log: { ...log.options, level: "trace" },
  });
  try {
    const { url } = await app.listen({ port: 0, signals: false });
    const client = new DescribedClient(url, () => app.openapi());
    return await body({ app, client, users: new Users(app), log, clock, urls });
  } finally {
    await app.stop();
  }
}

/** The same on its own storage. */
export function withFreshBlog<T>(
  storage: Storage,
  body: (blog: Blog) => Promise<T>,
  options: StartOptions = {},
): Promise<T> {
  return storage.with((urls) => withBlog(urls, body, options));
}

/** Declares the tests once for each storage; those of one storage share a service, so each creates its own records. */
export function describeOnStorages(
  title: string,
  define: (blog: () => Blog, storage: Storage) => void,
  options: StartOptions = {},
): void {
  for (const storage of options.on ?? storages) {
    describe(`${title} (${storage.name})`, () => {
      const blog = hold<Blog>((use) => withFreshBlog(storage, use, options));
      before(() => blog.open());
      after(() => blog.close());
      define(() => blog.value, storage);
    });
  }
}

/** One test for each storage, with its own service. */
export function testOnStorages(name: string, body: (blog: Blog) => Promise<void>, options: StartOptions = {}): void {
  for (const storage of options.on ?? storages)
    test(`${name} (${storage.name})`, () => withFreshBlog(storage, body, options));
}
