import { dto, type Infer, string, timestamp } from "@tenon/core";
import type { Row } from "@tenon/data";

/** The columns of the table. The password is a bcrypt hash. */
export const StoredUser = dto({
  id: string("required"),
  email: string("required"),
  password: string("required"),
  role: string("required"),
  created_at: timestamp("required"),
});
export type StoredUser = Row<typeof StoredUser>;

/** What clients see of it. */
export const User = StoredUser.omit("password").named("User");

export const RegisterDTO = dto({
  email: string("required", "trim", "email", "max=200"),
  password: string("required", "min=8", "max=72"),
});
export type RegisterDTO = Infer<typeof RegisterDTO>;

export const LoginDTO = dto({
  email: string("required", "trim", "max=200"),
  password: string("required", "max=1000"),
  code: string("max=30").describe("From the authenticator app, or a recovery code"),
});
export type LoginDTO = Infer<typeof LoginDTO>;
