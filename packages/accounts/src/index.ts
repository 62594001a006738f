export { AccountPages } from "./account.pages.ts";
export {
  type AccountEvent,
  type AccountEventName,
  AccountEvents,
  type Actor,
} from "./account-events.ts";
export { AccountMails } from "./account-mails.ts";
export { AccountSecondFactor } from "./account-second-factor.ts";
export { AccountTokens, type TokenPurpose, tokenSeconds, type UsedToken } from "./account-tokens.ts";
export { type AccountUser, AccountUsers, type UsersTransaction } from "./account-users.ts";
export { AccountCommands } from "./accounts.commands.ts";
export { AccountsController } from "./accounts.controller.ts";
export { type AccountState, Accounts } from "./accounts.ts";
export { accountsModule } from "./accounts-module.ts";
export { ConfirmEmail, ResetPassword, SecurityNotice, VerifyEmail } from "./mails.ts";
export { type AccountPaths, AccountSettings, type AccountsGuard, type AccountsOptions } from "./settings.ts";
export { VerifiedEmail } from "./verified-email.ts";
