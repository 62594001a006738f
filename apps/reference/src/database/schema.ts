import type { Role } from "../users/user.ts";

/** The tables, as the store keeps them. */
export interface Schema {
  users: UsersTable;
  posts: PostsTable;
}

export interface UsersTable {
  readonly id: string;
  readonly email: string;
  /** The address in ASCII lower case: what is unique. */
  readonly email_key: string;
  readonly password: string;
  readonly name: string;
  readonly role: Role;
  readonly created_at: string;
}

export interface PostsTable {
  readonly id: string;
  readonly title: string;
  readonly content: string;
  readonly author_id: string;
  readonly published: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}
