import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Tokens, useFastPasswords } from "@tenon/auth";
import { api, type Module } from "@tenon/core";
import { createTestApp, type TestHttpApp } from "@tenon/core/testing";
import type { FuzzAccessOptions } from "@tenon/fuzz";
import { root, runOrFail } from "../../test/support/run.ts";

/** An application that requests of several users are sent to. */
export interface AccessApplication {
  /** Writes its sources, so that a patch can change them. */
  write(folder: string): Promise<void> | void;
  /** Starts the sources in the folder. */
  start(folder: string, database: string): Promise<StartedApplication>;
}

export interface StartedApplication {
  readonly app: TestHttpApp;
  readonly options: Pick<FuzzAccessOptions, "as" | "shared" | "skip">;
}

const secret = "a secret of the access tests, thirty-two bytes and more";
const log = { level: "silent" } as const;

export const applications: Readonly<Record<string, AccessApplication>> = {
  reference: {
    write(folder) {
      for (const part of ["src", "views"]) {
        cpSync(join(root, "apps/reference", part), join(folder, part), { recursive: true });
      }
    },
    async start(folder, databaseUrl) {
      const { createAppModule } = await load<typeof import("../../apps/reference/src/app.module.ts")>(
        folder,
        "src/app.module.ts",
      );
      const { createPlatform } = await load<typeof import("../../apps/reference/src/serve.ts")>(folder, "src/serve.ts");
      const app = await createTestApp(createAppModule({ postPolicy: "owner" }), createPlatform(), {
        config: { databaseUrl, redisUrl: undefined, jwtSecret: secret, loginRateLimit: false },
        override: [useFastPasswords()],
        log,
      });
      const as = { alice: await register(app, "alice"), bob: await register(app, "bob"), guest: null };
      return { app, options: { as, shared: ["posts.index", "posts.show", "posts.live"] } };
    },
  },

  notes: {
    async write(folder) {
      const tenon = (cwd: string, ...words: readonly string[]) =>
        runOrFail(process.execPath, [
          "--conditions=@tenon/source",
          join(root, "packages/tool/src/main.ts"),
          ...words,
          "--no-install",
          `--in=${cwd}`,
        ]);
      await tenon(folder, "new", "app", "--template=api");
      await tenon(join(folder, "app"), "g", "auth");
      await tenon(join(folder, "app"), "g", "resource", "note", "--fields=title:string,text:text?", "--owner");
    },
    async start(folder, databaseUrl) {
      const { AppModule } = await load<{ readonly AppModule: Module }>(folder, "app/src/app.module.ts");
      const app = await createTestApp(AppModule, api({ errors: "issues" }), {
        config: { databaseUrl, redisUrl: undefined, jwtSecret: secret },
        override: [useFastPasswords()],
        log,
      });
      const as = { alice: await register(app, "alice"), bob: await register(app, "bob"), guest: null };
      return { app, options: { as } };
    },
  },

  projects: {
    write: (folder) => cpSync(fileURLToPath(new URL("./projects/", import.meta.url)), folder, { recursive: true }),
    async start(folder, database) {
      const { createAppModule } = await load<typeof import("./projects/app.module.ts")>(folder, "app.module.ts");
      const app = await createTestApp(createAppModule(database, secret), api(), { log });
      const login = async (id: string) => {
        const email = `${id}@example.com`;
        return toHeaders(await app.get(Tokens).issue({ id, email, role: "user" }));
      };
      const as = { alice: await login("alice"), bob: await login("bob"), guest: null };
      return { app, options: { as } };
    },
  },
};

async function register(app: TestHttpApp, name: string) {
  const json = { email: `${name}@example.com`, password: "correct horse", name };
  await app.request("POST", "/auth/register", { json });
  const response = await app.request("POST", "/auth/login", { json });
  return toHeaders(((await response.json()) as { readonly token: string }).token); // by the contract of both applications
}

function toHeaders(token: string) {
  return { authorization: `Bearer ${token}` };
}

/** The packages are those of the workspace, for the sources in the folder too. */
export function linkPackages(folder: string): void {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
}

/** Each folder has its own modules, so that a patch takes effect. */
async function load<M>(folder: string, file: string): Promise<M> {
  return (await import(pathToFileURL(join(folder, file)).href)) as M; // the file of that path
}
