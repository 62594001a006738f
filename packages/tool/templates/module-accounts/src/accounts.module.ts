import { AccountCommands, {%= pages ? "AccountPages, " : "" %}{%= routes ? "AccountsController, " : "" %}accountsModule } from "@tenon/accounts";
{% if (routes && !sessions) { -%}
import { BearerAuth } from "@tenon/auth";
{% } -%}
import { defineConfig, defineModule, inject, string } from "@tenon/core";
import { AuthModule } from "./auth.module.ts";
{% if (followsPort) { -%}
import { Config, ConfigModule } from "./config.ts";
{% } -%}
import { DataModule } from "./data.module.ts";
import { JobsModule } from "./jobs.module.ts";
import { MailModule } from "./mail.module.ts";
import { UserAccounts } from "./users/user-accounts.ts";

class AccountsConfig extends defineConfig(
  { BASE_URL: string(), NODE_ENV: string() },
  {
    check({ baseUrl, nodeEnv }, report) {
      if (nodeEnv !== "production" || baseUrl !== undefined) return;
      report("BASE_URL", "is not set. It takes the address of your {%= pages ? "pages" : "front end" %}: https://example.com");
    },
  },
) {}

const AccountsConfigModule = defineModule({
  name: "accounts-config",
  declarations: [AccountsConfig],
  exports: [AccountsConfig],
});

/** Verification, password reset, second factor and their mails. */
export const AccountsModule = accountsModule({
  imports: [{%= followsPort ? "ConfigModule, " : "" %}AccountsConfigModule, DataModule, AuthModule, JobsModule, MailModule],
  name: "my-app",
  users: UserAccounts,
{% if (routes && !sessions) { -%}
  guard: BearerAuth,
{% } -%}
{% if (pages) { -%}
  // links in mails begin with it, never with what a request says about its host
{% } else { -%}
  // the address of the front end: links in mails lead to its pages, which send the token to the routes below /account
{% } -%}
{% if (followsPort) { -%}
  baseUrl: () => inject(AccountsConfig).baseUrl ?? `http://127.0.0.1:${inject(Config).port}`,
{% } else { -%}
  baseUrl: () => inject(AccountsConfig).baseUrl ?? "http://127.0.0.1:{%= pages && routes ? "8081" : "8080" %}",
{% } -%}
});

{% if (routes) { -%}
/** The routes below `/account`, and the commands for operators: `accounts verify`, `reset`, `disable-2fa`, `end-sessions`, `log`. */
export const AccountRoutesModule = defineModule({
  name: "account-routes",
  imports: [AuthModule, AccountsModule],
  declarations: [AccountsController, AccountCommands],
});
{% } -%}
{% if (pages && routes) { -%}

{% } -%}
{% if (pages) { -%}
/** The pages below `/account`{%= routes ? "" : ", and the commands for operators: `accounts verify`, `reset`, `disable-2fa`, `end-sessions`, `log`" %}. */
export const AccountPagesModule = defineModule({
  name: "account-pages",
  imports: [AuthModule, AccountsModule],
  declarations: [AccountPages{%= routes ? "" : ", AccountCommands" %}],
});
{% } -%}
