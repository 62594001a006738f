import { defineModule, inject, type Module, provide } from "@tenon/core";
import { ApiKeyAuth } from "./api-key-auth.ts";
import { ApiKeys } from "./api-keys.ts";
import { BearerAuth, OptionalBearerAuth } from "./bearer-auth.ts";
import { Clock } from "./clock.ts";
import { ExpiringRecords } from "./expiring-records.ts";
import { LoginLimit } from "./login-limit.ts";
import { Passwords } from "./passwords.ts";
import { RefreshTokens } from "./refresh-tokens.ts";
import { SessionAuth, SessionOrigin } from "./session-auth.ts";
import { Sessions } from "./sessions.ts";
import { type AuthOptions, AuthSettings, BcryptCost, toAuthSettings } from "./settings.ts";
import { Tokens } from "./tokens.ts";

/** The services and guards of authentication, on the stores of the given data module. */
export function authModule(data: Module, options: AuthOptions): Module {
  const parts = [
    Clock,
    Passwords,
    Tokens,
    Sessions,
    RefreshTokens,
    ApiKeys,
    LoginLimit,
    BearerAuth,
    OptionalBearerAuth,
    SessionAuth,
    SessionOrigin,
    ApiKeyAuth,
  ];
  return defineModule({
    name: "auth",
    imports: [data],
    declarations: [
      ...parts,
      ExpiringRecords,
      provide(AuthSettings, () => toAuthSettings(options)),
      provide(BcryptCost, () => inject(AuthSettings).bcryptCost),
    ],
    exports: parts,
  });
}
