import { boolean, dto, integer, literal, string } from "@tenon/core";
import { defineMail } from "@tenon/mail";

const link = "https://blog.example.com/account/…?token=…";

/** To the address of an account, which is verified by the link. */
export const VerifyEmail = defineMail("mail/verify-email", {
  summary: "Ask a user to verify the address of the account",
  input: dto({ user_id: string("required") }),
  data: dto({ site: string("required"), link: string("required"), hours: integer("required") }),
  subject: ({ site }) => `Verify your e-mail address for ${site}`,
  preview: { site: "Blog", link, hours: 24 },
});

/** The payload has the address that was typed, so that the request is the same work whether or not there is an account. */
export const ResetPassword = defineMail("mail/reset-password", {
  summary: "Send a link to choose a new password, if the address has an account",
  input: dto({ email: string("required") }),
  data: dto({ site: string("required"), link: string("required"), minutes: integer("required") }),
  subject: ({ site }) => `Reset your password for ${site}`,
  preview: { site: "Blog", link, minutes: 60 },
});

/** To the new address of an account. */
export const ConfirmEmail = defineMail("mail/confirm-email", {
  summary: "Ask a user to confirm the new address of the account",
  input: dto({
    user_id: string("required"),
    email: string("required"),
    /** `requestBoundOf()` at the request: a change of the password or the address, or the end of all logins, ends it. */
    bound: string("required"),
  }),
  data: dto({
    site: string("required"),
    link: string("required"),
    minutes: integer("required"),
    email: string("required"),
  }),
  subject: ({ site }) => `Confirm your new e-mail address for ${site}`,
  preview: { site: "Blog", link, minutes: 60, email: "new@example.com" },
});

/** What security notices report: some of the events of the audit log. */
export const noticed = [
  "password reset",
  "password changed",
  "address change requested",
  "address changed",
  "second factor enabled",
  "second factor disabled",
  "recovery codes renewed",
  "recovery code used",
  "wrong codes",
  "api key created",
  "api key revoked",
  "account deleted",
] as const;
export type NoticedEvent = (typeof noticed)[number];

/** After a change that an attacker might have made. */
export const SecurityNotice = defineMail("mail/security-notice", {
  summary: "Tell a user what has changed in the account",
  input: dto({
    user_id: string("required"),
    event: literal(noticed, "required"),
    at: string("required"),
    /** Where the user does not have the address any more. Defaults to the address of the account. */
    address: string(),
    /** Whether this address was verified: it gets the mail whatever the limit, which is there for strangers' addresses. */
    verified: boolean(),
  }),
  data: dto({
    site: string("required"),
    message: string("required"),
    time: string("required"),
    advice: string("required"),
    /** Where the password can be reset; "" where that does not help. */
    link: string(),
  }),
  subject: ({ site, message }) => `${site}: ${message.split(".", 1)[0]}`,
  preview: {
    site: "Blog",
    message: "The password of your account was changed.",
    time: "2027-01-31 12:00 UTC",
    advice: "If this was not you, reset your password now:",
    link: "https://blog.example.com/account/reset",
  },
});
