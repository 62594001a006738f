export const roles = ["user", "admin"] as const;
export type Role = (typeof roles)[number];

export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

/** A user as clients see it. Without the password hash, so that no response and no log can contain it. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly created_at: string;
}

/** A user as the database stores it. */
export interface UserRecord extends User {
  readonly role: Role;
  readonly password: string;
}

export function toUser({ id, email, name, created_at }: User): User {
  return { id, email, name, created_at };
}
