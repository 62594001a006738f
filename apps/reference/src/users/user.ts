export const roles = ["user", "admin"] as const;
export type Role = (typeof roles)[number];

export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

/** A user as it is shown. The password hash is not part of it, so that no reply and no log can carry it. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly created_at: string;
}

/** What the service alone needs to know. */
export interface UserRecord extends User {
  readonly role: Role;
  readonly password: string;
}

export function toUser({ id, email, name, created_at }: User): User {
  return { id, email, name, created_at };
}
