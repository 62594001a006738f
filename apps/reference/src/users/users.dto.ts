import { dto, string, timestamp } from "@tenon/core";

/** Without the password hash and the role, which no response contains. */
export const User = dto("User", {
  id: string("required"),
  email: string("required"),
  name: string("required"),
  created_at: timestamp("required"),
});
