import { type Module, token } from "@tenon/core";
import { checkOptions, type Injectable, type Key, takes } from "@tenon/core/internal";
import type { RecordStore } from "./record-store.ts";

export interface PlainSessionOptions {
  /** The class or token under which the data module exports the store of the sessions: `KeyValue` of @tenon/data. */
  readonly store: Key<RecordStore>;
  /** At least 32 secret bytes: signs the cookies and the tokens of forms. */
  readonly secret: string;
  /** The name of the cookie, which gets the prefix `__Host-` over TLS. Defaults to `tenon_session`. */
  readonly cookie?: string;
  /** Seconds that a session is kept after its last use. Defaults to 86,400. */
  readonly maxAge?: number;
  /** The same for sessions without a login, those before `regenerate()`. Defaults to 900. */
  readonly guestMaxAge?: number;
  /** Refuses forms that do not come from a page of this application. Defaults to true. */
  readonly csrf?: boolean;
}

/** Each option but `store` and `imports` is a value, or a function that returns it and may `inject()` what `imports` export. */
export interface SessionOptions<Imports extends readonly Module[] = readonly Module[]>
  extends Injectable<PlainSessionOptions, "store"> {
  /** What the options inject: `[ConfigModule]`. Defaults to none. */
  readonly imports?: Imports;
}

export type SessionSettings = Required<PlainSessionOptions>;
export const SessionSettings = token<SessionSettings>("sessionsModule()");

const age = takes.wholeNumber(1, 400 * 86_400); // browsers shorten a longer one

export function toSessionSettings(options: PlainSessionOptions): SessionSettings {
  const { store, secret = "", cookie = "tenon_session", maxAge = 86_400, guestMaxAge = 900, csrf = true } = options;
  const given = { ...options, secret };
  checkOptions("sessionsModule()", given, {
    store: true,
    secret: findSecretProblem,
    cookie: takes.match(
      /^(?!__(?:Host|Secure)-)[\w.-]+$/i,
      'It takes a cookie\'s name: letters, digits, "_", "-" and ".", without a prefix such as __Host-, which it gets over TLS.',
    ),
    maxAge: age,
    guestMaxAge: age,
    csrf: true,
  });
  return { store, secret, cookie, maxAge, guestMaxAge: Math.min(guestMaxAge, maxAge), csrf };
}

/** No message quotes a secret. */
function findSecretProblem(value: unknown): string | undefined {
  const given = typeof value === "string" ? Buffer.byteLength(value) : 0;
  const cure =
    'It takes random bytes, the same on every instance and after a restart: for example what "openssl rand -base64 32" prints.';
  return given >= 32 ? undefined : `has ${given} bytes. At least 32 are needed. ${cure}`;
}
