import { AccountUsers } from "@tenon/accounts";
import { inject } from "@tenon/core";
import type { Kysely } from "kysely";
import type { Schema } from "../database/schema.ts";
import { PostsService } from "../posts/posts.service.ts";
import type { UserRecord } from "./user.ts";
import { UsersService } from "./users.service.ts";

/** The users of the blog, for `accountsModule()`. */
export class BlogUsers extends AccountUsers {
  readonly #users = inject(UsersService);
  readonly #posts = inject(PostsService);

  find(id: string, transaction?: Kysely<Schema>): Promise<UserRecord | undefined> {
    return this.#users.find(id, transaction);
  }

  findByEmail(email: string): Promise<UserRecord | undefined> {
    return this.#users.findByEmail(email);
  }

  setPassword(id: string, hash: string, transaction: Kysely<Schema>): Promise<void> {
    return this.#users.setPassword(id, hash, transaction);
  }

  setEmail(id: string, email: string, transaction: Kysely<Schema>): Promise<void> {
    return this.#users.setEmail(id, email, transaction);
  }

  /** With the posts, which cannot be without an author. The page of the deletion says so. */
  async delete(id: string, transaction: Kysely<Schema>): Promise<void> {
    await this.#posts.deleteOfAuthor(id, transaction);
    await this.#users.delete(id, transaction);
  }
}
