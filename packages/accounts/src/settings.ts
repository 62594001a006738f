import { SessionAuth } from "@tenon/auth";
import { type Class, type Middleware, type Module, token } from "@tenon/core";
import {
  checkOptions,
  type Duration,
  type Injectable,
  parseDuration,
  readEnvironment,
  refuseOption,
  takes,
} from "@tenon/core/internal";
import type { AccountUsers } from "./account-users.ts";

/** Pages of the site. Links in mails lead to the first four, to the first three with `?token=`. */
export interface AccountPaths {
  /** Defaults to "/account/verify". */
  readonly verification: string;
  /** Where a new password is chosen. Defaults to "/account/reset/confirm". */
  readonly reset: string;
  /** Defaults to "/account/email/confirm". */
  readonly emailChange: string;
  /** Where a reset is requested, without a token: security notices link to it. Defaults to "/account/reset". */
  readonly forgot: string;
  /** The login of the application: `AccountPages` redirect to it with `?next=`. Defaults to "/login". */
  readonly login: string;
}

/** A guard that sets `user_id`: its class, or an instance. */
export type AccountsGuard = Class<Middleware> | Middleware;

export interface PlainAccountsOptions {
  /** The name of the site, for mails and authenticator apps. */
  readonly name: string;
  /**
   * Where users reach the site: "https://blog.example.com", with a path where the site has one. Links in mails begin
   * with it, never with what a request says about its host. Required in production, with https unless it is localhost.
   * Defaults to `http://localhost:8080`.
   */
  readonly baseUrl?: string;
  readonly paths?: Partial<AccountPaths>;
  /** Authenticates the requests to `AccountsController`: `BearerAuth` or `SessionAuth`. Defaults to `SessionAuth`. */
  readonly guard?: AccountsGuard;
  /**
   * Whether this process sends the mails. With false it only enqueues them, and starts in production without `baseUrl`
   * and mail URL: another process makes the links and sends them. Defaults to true.
   */
  readonly sendsMails?: boolean;
  /** How long entries of the audit log are kept. Defaults to "365d". */
  readonly keepEvents?: Duration;
}

/** Each option but `imports`, `users`, `guard` and `sendsMails` is a value, or a function that returns it and may `inject()` what `imports` export. */
export interface AccountsOptions<Imports extends readonly Module[] = readonly Module[]>
  extends Injectable<PlainAccountsOptions, "guard" | "sendsMails"> {
  /** The modules of data, auth, jobs and mail, and what the options and `users` inject. */
  readonly imports: Imports;
  /** The users of the application. The module constructs the class, which may inject what `imports` export. */
  readonly users: Class<AccountUsers>;
}

export interface AccountSettings {
  readonly name: string;
  readonly paths: AccountPaths;
  readonly guard: AccountsGuard;
  /** Milliseconds. */
  readonly keepEvents: number;
  /** The address of a page for a link in a mail. */
  linkTo(page: Exclude<keyof AccountPaths, "login">, token?: string): string;
}
export const AccountSettings = token<AccountSettings>("accountsModule()");

const defaultPaths: AccountPaths = {
  verification: "/account/verify",
  reset: "/account/reset/confirm",
  emailChange: "/account/email/confirm",
  forgot: "/account/reset",
  login: "/login",
};
const path = takes.match(/^\/[^\s?#]*$/, 'It takes a path without a query, for example "/account/verify".');

/** `delivers`: whether mails leave the machine. */
export function toAccountSettings(options: PlainAccountsOptions, delivers: boolean): AccountSettings {
  const { production } = readEnvironment();
  const { name, baseUrl, sendsMails = true } = options;
  const needsUrls = production && sendsMails;
  checkOptions("accountsModule()", options, {
    name: takes.match(/^[^\p{Cc}:]{1,100}$/u, "It takes the name of the site, without a colon."),
    baseUrl: (value) => findUrlProblem(value, production),
    paths: { verification: path, reset: path, emailChange: path, forgot: path, login: path },
    guard: true,
    sendsMails: true,
    keepEvents: takes.duration(1),
  });
  const missing = [
    baseUrl === undefined
      ? "baseUrl of accountsModule() is missing. Set BASE_URL to where users reach the site, for example https://blog.example.com: links in mails begin with it."
      : "",
    delivers
      ? ""
      : "accountsModule() cannot send mails. Set MAIL_URL to a mail server, for example smtp://user:password@smtp.example.com:587.",
  ].filter((message) => message !== "");
  if (needsUrls && missing.length > 0) refuseOption(...missing);
  const paths = { ...defaultPaths, ...options.paths };
  const base = baseUrl ?? (production ? undefined : "http://localhost:8080");
  return {
    name,
    paths,
    guard: options.guard ?? SessionAuth,
    keepEvents: parseDuration(options.keepEvents ?? "365d"),
    linkTo(page, token) {
      if (base === undefined) throw new Error("this process has no BASE_URL: it cannot make links for mails");
      const url = new URL(base);
      url.pathname = url.pathname.replace(/\/$/, "") + paths[page];
      if (token !== undefined) url.searchParams.set("token", token);
      return url.href;
    },
  };
}

/** Users of localhost read their mail on the same machine: no network can see the token. */
function findUrlProblem(value: unknown, production: boolean): string | undefined {
  const url = typeof value === "string" ? URL.parse(value) : null;
  const cure = "Set BASE_URL to where users reach the site, for example https://blog.example.com.";
  // no message quotes it: it may contain a password
  if (url === null || !/^https?:$/.test(url.protocol)) return `is not an address with http:// or https://. ${cure}`;
  if (url.username !== "" || url.password !== "" || /[?#]/.test(url.href)) {
    return `has a user, a query or a fragment. ${cure}`;
  }
  const isLocal = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (production && url.protocol === "http:" && !isLocal) {
    return "begins with http://. Production needs https://, because links in mails carry tokens: set BASE_URL to an https address.";
  }
  return undefined;
}
