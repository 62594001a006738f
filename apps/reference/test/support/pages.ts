import { randomUUID } from "node:crypto";
import { Sessions, sessionCookie } from "@tenon/auth";
import { Clock } from "@tenon/core";
import { Database } from "@tenon/data";
import type { PostsTable, Schema } from "../../src/database/schema.ts";
import { createPagesModule } from "../../src/pages/pages.module.ts";
import { createPagesPlatform } from "../../src/pages/pages.platform.ts";
import { type Blog, describeOnStorages, type StartOptions, testOnStorages, withBlog } from "./blog.ts";
import { pageStorages, type StorageUrls } from "./storages.ts";
import type { TestUser } from "./users.ts";
import { WebClient } from "./web-client.ts";

/** As in production: without developer pages. */
export const asPages: StartOptions = {
  createModule: createPagesModule,
  createPlatform: () => createPagesPlatform({ development: false }),
};

export function describePages(title: string, define: (blog: () => Blog) => void, options: StartOptions = {}): void {
  describeOnStorages(title, define, { ...asPages, on: pageStorages, ...options });
}

export function testPages(name: string, body: (blog: Blog) => Promise<void>, options: StartOptions = {}): void {
  testOnStorages(name, body, { ...asPages, on: pageStorages, ...options });
}

export function withPages<T>(
  urls: StorageUrls,
  body: (blog: Blog) => Promise<T>,
  options: StartOptions = {},
): Promise<T> {
  return withBlog(urls, body, { ...asPages, ...options });
}

/** A visitor with a browser; logged in, if a user is given. */
export async function visit({ app, client }: Blog, who?: TestUser): Promise<WebClient> {
  const visitor = new WebClient(client.url);
  if (who !== undefined) visitor.cookies.set(sessionCookie, await app.get(Sessions).create(who.user.id));
  return visitor;
}

/** Writes any post directly to the store. */
export async function addPost(blog: Blog, { user }: TestUser, post: Partial<PostsTable> = {}): Promise<PostsTable> {
  const clock = blog.app.get(Clock);
  const time = clock.timestamp();
  const row = {
    id: randomUUID(),
    title: "A title",
    content: "Some text.",
    author_id: user.id,
    published: true,
    created_at: time,
    updated_at: time,
    ...post,
  };
  await blog.app
    .get(Database<Schema>)
    .insertInto("posts")
    .values(row)
    .execute();
  return row;
}

/** The post in the store; undefined when there is none. */
export async function storedPost({ app }: Blog, id: string): Promise<PostsTable | undefined> {
  return app
    .get(Database<Schema>)
    .selectFrom("posts")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
}

export async function postsOf({ app }: Blog, { user }: TestUser): Promise<PostsTable[]> {
  return app
    .get(Database<Schema>)
    .selectFrom("posts")
    .selectAll()
    .where("author_id", "=", user.id)
    .execute();
}
