import { dto, string, timestamp } from "@tenon/core";

export interface User {
  readonly id: string;
  readonly email: string;
  /** A bcrypt hash. */
  readonly password: string;
  readonly role: string;
  readonly created_at: string;
}

/** What clients see of it: not the password. */
export const User = dto("User", {
  id: string("required"),
  email: string("required"),
  role: string("required"),
  created_at: timestamp("required"),
});
