import { dto, type Infer, string } from "@tenon/core";

/** Bytes. No valid body is larger, and clients send these without authentication. */
export const maxAuthBody = 16 * 1024;

export const LoginDTO = dto({
  email: string("required", "email"),
  password: string("required"),
});
export type LoginDTO = Infer<typeof LoginDTO>;

export const RegisterDTO = dto({
  email: string("required", "email"),
  password: string("required", "min=8"),
  name: string("required"),
});
export type RegisterDTO = Infer<typeof RegisterDTO>;

export const RefreshDTO = dto({
  refresh_token: string("required"),
});
export type RefreshDTO = Infer<typeof RefreshDTO>;

export const LogoutDTO = dto({
  refresh_token: string(),
});

export const CreateApiKeyDTO = dto({
  name: string("max=100"),
  expires_at: string("max=40"),
});
