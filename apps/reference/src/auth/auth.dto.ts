import { array, dto, type Infer, integer, literal, nested, string, timestamp } from "@tenon/core";
import { User } from "../users/users.dto.ts";

/** Bytes. No valid body is larger, and clients send these without authentication. */
export const maxAuthBody = 16 * 1024;

export const LoginDTO = dto("Login", {
  email: string("required", "email"),
  password: string("required"),
  code: string("max=30").describe("For a user with a second factor: its code, or a recovery code."),
});
export type LoginDTO = Infer<typeof LoginDTO>;

export const RegisterDTO = dto("Register", {
  email: string("required", "email"),
  password: string("required", "min=8").describe("At most 72 bytes."),
  name: string("required"),
});
export type RegisterDTO = Infer<typeof RegisterDTO>;

export const RefreshDTO = dto("Refresh", {
  refresh_token: string("required"),
});
export type RefreshDTO = Infer<typeof RefreshDTO>;

export const LogoutDTO = dto("Logout", {
  refresh_token: string(),
});

export const CreateApiKeyDTO = dto("CreateApiKey", {
  name: string("max=100").describe("The purpose of the key."),
  expires_at: string("max=40").describe("A time to come, with an offset: 2027-01-01T00:00:00Z. Defaults to never."),
  scopes: array(string("max=100"), "max=50").describe("What the key may do: `posts:write`. Defaults to everything."),
}).strict(); // a misspelt `scopes` must not give a key that may do everything

const token = string("required").describe("A JWT, for `Authorization: Bearer`.");
const expires_in = integer("required").describe("Seconds.");

export const LoginResponse = dto("LoginResponse", { token, expires_in, user: nested(User, "required") });

/** The response to a login in the tutorial. */
export const Token = dto("Token", { token });

export const Tokens = dto("Tokens", {
  access_token: token,
  refresh_token: string("required").describe("Valid once, for 7 days."),
  expires_in,
});

export const LoggedOut = dto("LoggedOut", { message: literal(["Logged out"], "required") });

/** The same body as other errors have: the logout sends it together with a header. */
export const StoreFailure = dto("StoreFailure", { error: string("required") });

const apiKey = {
  id: string("required"),
  user_id: string("required"),
  name: string("required"),
  created_at: timestamp("required"),
  expires_at: timestamp("required", "nullable"),
  last_used_at: timestamp("required", "nullable"),
  scopes: array(string(), "required", "nullable").describe("Null for a key that may do everything."),
};

export const ApiKey = dto("ApiKey", apiKey);

export const NewApiKey = dto("NewApiKey", {
  ...apiKey,
  key: string("required").describe("Shown once. Sent in `X-API-Key`."),
});
