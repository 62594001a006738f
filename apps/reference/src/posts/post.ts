import type { PostsTable } from "../database/schema.ts";
import type { User } from "../users/user.ts";

export interface Post extends PostsTable {
  /** Loaded on list and show; absent elsewhere. */
  readonly author?: User;
}
