import { array, boolean, dto, integer, string, timestamp } from "@tenon/core";

/** Bytes. No valid body is larger, and clients send some of these without authentication. */
export const maxAccountBody = 16 * 1024;

/** What a reset, verification or change of address responds to a token that is unknown, used or too old. */
export const badToken = { 400: "Invalid or expired token" } as const;
/** What every route that checks or hashes a password may respond. */
export const limited = { 429: "Too Many Requests", 503: "Service Unavailable" } as const;
export const credentials = { 401: ["Invalid credentials", "Second factor required"], ...limited } as const;

const email = string("required", "trim", "email", "max=200");
const newPassword = string("required", "min=8", "max=72").describe("At most 72 bytes.");
const password = string("required", "max=1000");
const token = string("required", "max=200").describe("The token of the link in the mail.");
const code = string("max=30").describe("From the authenticator app, or a recovery code.");

export const EmailDTO = dto("AccountEmail", { email });
export const TokenDTO = dto("AccountToken", { token });
export const ResetDTO = dto("ResetPassword", { token, password: newPassword });
export const ChangePasswordDTO = dto("ChangePassword", { password, new_password: newPassword });
export const ConfirmDTO = dto("ConfirmLogin", { password, code });
export const CodeDTO = dto("SecondFactorCode", { code: string("required", "max=30") });

export const Account = dto("Account", {
  id: string("required"),
  email: string("required"),
  name: string(),
  verified: boolean("required").describe("Whether the owner of the address has confirmed it."),
  second_factor: boolean("required"),
  recovery_codes_left: integer("required"),
});

export const AccountSession = dto("AccountSession", {
  id: string("required"),
  created_at: timestamp("required"),
  last_used_at: timestamp("required"),
  address: string("required"),
  client: string("required").describe("The `User-Agent` of the login."),
  current: boolean("required").describe("Whether this request belongs to it."),
});

export const SecondFactorSetup = dto("SecondFactorSetup", {
  secret: string("required").describe("In base32. Not active until a code confirms it."),
  uri: string("required").describe("`otpauth:` for an authenticator app."),
  qr: string("required").describe("The URI as a QR code: an SVG element."),
});

export const RecoveryCodes = dto("RecoveryCodes", {
  recovery_codes: array(string(), "required").describe("Shown once. Each is valid once, instead of a code."),
});
