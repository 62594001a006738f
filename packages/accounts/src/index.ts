export { AccountPages } from "./account.pages.ts";
export {
  type AccountEvent,
  type AccountEventName,
  AccountEvents,
  type Actor,
} from "./account-events.ts";
export { AccountSecondFactor } from "./account-second-factor.ts";
export { type AccountUser, AccountUsers } from "./account-users.ts";
export { AccountCommands } from "./accounts.commands.ts";
export { AccountsController } from "./accounts.controller.ts";
export { type AccountState, Accounts } from "./accounts.ts";
export { accountsModule } from "./accounts-module.ts";
export type { AccountPaths, AccountsGuard, AccountsOptions } from "./settings.ts";
export { VerifiedEmail } from "./verified-email.ts";
