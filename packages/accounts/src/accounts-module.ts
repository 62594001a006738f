import { defineModule, inject, type Module, provide } from "@tenon/core";
import { type ConfigIn, resolveOptions } from "@tenon/core/internal";
import { Mailer } from "@tenon/mail";
import { AccountChanges } from "./account-changes.ts";
import { AccountEvents } from "./account-events.ts";
import { AccountLimits } from "./account-limits.ts";
import { AccountMails } from "./account-mails.ts";
import { AccountSecondFactor } from "./account-second-factor.ts";
import { AccountStates } from "./account-states.ts";
import { AccountMigrations } from "./account-tables.ts";
import { AccountTokens } from "./account-tokens.ts";
import { AccountUsers } from "./account-users.ts";
import { Accounts } from "./accounts.ts";
import { AccountSettings, type AccountsOptions, type PlainAccountsOptions, toAccountSettings } from "./settings.ts";
import { VerifiedEmail } from "./verified-email.ts";

/**
 * Verification, reset and changes of accounts, on the data, auth, jobs and mail modules that it imports. Exports
 * `Accounts`, `AccountSecondFactor`, `AccountEvents`, `AccountUsers` and `VerifiedEmail`.
 */
export function accountsModule<const Imports extends readonly Module[]>(
  options: AccountsOptions<Imports>,
): Module<ConfigIn<Imports>> {
  const { imports, users: Users, ...rest } = options;
  return defineModule({
    name: "accounts",
    imports,
    declarations: [
      provide(AccountSettings, () =>
        toAccountSettings(
          resolveOptions<PlainAccountsOptions, "guard" | "sendsMails">(rest, ["guard", "sendsMails"]),
          inject(Mailer).delivers,
        ),
      ),
      provide(AccountUsers, () => new Users()),
      AccountMigrations,
      AccountStates,
      AccountTokens,
      AccountEvents,
      AccountChanges,
      AccountLimits,
      ...(options.sendsMails === false ? [] : [AccountMails]),
      Accounts,
      AccountSecondFactor,
      VerifiedEmail,
    ],
    exports: [
      Accounts,
      AccountSecondFactor,
      AccountEvents,
      AccountTokens,
      AccountUsers,
      AccountSettings,
      VerifiedEmail,
    ],
  });
}
