import { Clock, defineModule, inject, Log, type Module, provide } from "@tenon/core";
import { type ConfigIn, resolveOptions } from "@tenon/core/internal";
import { KeyValue } from "@tenon/data";
import { ApiKeyAuth } from "./api-key-auth.ts";
import { ApiKeys } from "./api-keys.ts";
import { BearerAuth, OptionalBearerAuth } from "./bearer-auth.ts";
import { CodeLimit } from "./code-limit.ts";
import { ExpiringRecords } from "./expiring-records.ts";
import { LoginLimit } from "./login-limit.ts";
import { Logins } from "./logins.ts";
import { PasswordLogin } from "./password-login.ts";
import { Passwords } from "./passwords.ts";
import { RecentLogin } from "./recent-login.ts";
import { RecentLogins } from "./recent-logins.ts";
import { RefreshTokens } from "./refresh-tokens.ts";
import { RegistrationLimit } from "./registration-limit.ts";
import { SecondFactor } from "./second-factor.ts";
import { SecondFactorRows } from "./second-factor-rows.ts";
import { SessionAuth, SessionOrigin } from "./session-auth.ts";
import { SessionIndex } from "./session-index.ts";
import { Sessions } from "./sessions.ts";
import { type AuthOptions, AuthSettings, BcryptCost, type PlainAuthOptions, toAuthSettings } from "./settings.ts";
import { Tokens } from "./tokens.ts";

/** The services and guards of authentication, on the stores of the given data module. */
export function authModule<Data extends Module, const Imports extends readonly Module[] = []>(
  data: Data,
  options: AuthOptions<Imports>,
): Module<ConfigIn<[Data, ...Imports]>> {
  const parts = [
    ...[Passwords, ApiKeys, Logins, Sessions, RefreshTokens, RecentLogins, LoginLimit, SecondFactor, PasswordLogin],
    ...[RegistrationLimit, SessionAuth, SessionOrigin, ApiKeyAuth, RecentLogin],
    ...(options?.secret === false ? [] : [Tokens, BearerAuth, OptionalBearerAuth]),
  ];
  return defineModule({
    name: "auth",
    imports: [data, ...(options?.imports ?? [])],
    declarations: [
      ...parts,
      ...[SessionIndex, SecondFactorRows, CodeLimit],
      provide(ExpiringRecords, () => new ExpiringRecords(inject(KeyValue), inject(Clock))),
      provide(AuthSettings, () => toAuthSettings(resolveOptions<PlainAuthOptions>(options), inject(Log))),
      provide(BcryptCost, () => inject(AuthSettings).bcryptCost),
    ],
    exports: parts,
  });
}
