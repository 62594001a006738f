import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Sessions } from "@tenon/auth";
import { type App, createApp, type HttpApp, HttpError } from "@tenon/core";
import { Database } from "@tenon/data";
import { sampleAuthors, sampleEmailOf, samplePosts } from "../../src/database/sample-posts.ts";
import type { Schema } from "../../src/database/schema.ts";
import { createPagesModule } from "../../src/pages/pages.module.ts";
import { createPagesPlatform } from "../../src/pages/pages.platform.ts";
import { UsersService } from "../../src/users/users.service.ts";

export const samplePassword = "correct horse";

export interface RunningPages {
  readonly app: App & HttpApp;
  readonly url: string;
  /** The session cookie of an author. */
  logIn(email: string): Promise<string>;
  stop(): Promise<void>;
}

/** The pages on a free port and a temporary folder, as in production. */
export async function startPages(): Promise<RunningPages> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-pages-"));
  const config = {
    bcryptCost: 10,
    databaseUrl: `sqlite:${join(folder, "blog.db")}`,
    mailUrl: "memory:",
    jwtSecret: "a secret for pictures, 32 bytes and more",
  };
  const platform = createPagesPlatform({ development: false });
  const app = await createApp(createPagesModule(), platform, { config, log: { level: "silent" } });
  const { url } = await app.listen({ port: 0, host: "127.0.0.1", signals: false });
  app.routes.add({
    method: "GET",
    path: "/fails-with/:status",
    handler: (ctx) => {
      throw new HttpError(Number(ctx.param("status")), "Invalid request");
    },
  });
  return {
    app,
    url,
    async logIn(email) {
      const user = await app.get(UsersService).findByEmail(email);
      return app.get(Sessions).create(user?.id ?? "");
    },
    async stop() {
      await app.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes the sample posts with their dates. Returns the ids, in the order of the sample. */
export async function writeSamplePosts({ app }: RunningPages): Promise<string[]> {
  const users = app.get(UsersService);
  const ids = new Map<string, string>();
  for (const name of sampleAuthors) {
    const user = await users.create({ email: sampleEmailOf(name), name, password: samplePassword });
    ids.set(name, user?.id ?? "");
  }
  const rows = samplePosts.map(({ author, title, content, date, published = true }) => ({
    id: randomUUID(),
    title,
    content,
    author_id: ids.get(author) ?? "",
    published,
    created_at: `${date}T09:30:00.000Z`,
    updated_at: `${date}T09:30:00.000Z`,
  }));
  await app
    .get(Database<Schema>)
    .insertInto("posts")
    .values(rows)
    .execute();
  return rows.map(({ id }) => id);
}
