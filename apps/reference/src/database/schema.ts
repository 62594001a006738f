import type { Role } from "../users/user.ts";

/** The tables of the database. */
export interface Schema {
  users: UsersTable;
  posts: PostsTable;
}

export interface UsersTable {
  readonly id: string;
  readonly email: string;
  /** The address in ASCII lower case; unique. */
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

/** PostgreSQL throws on U+0000 instead of finding no row: check text from a path or a query first. */
export function canBeStored(text: string): boolean {
  return !text.includes("\0");
}
