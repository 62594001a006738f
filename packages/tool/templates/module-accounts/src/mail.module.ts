import { defineConfig, defineModule, inject, string } from "@tenon/core";
import { mailModule } from "@tenon/mail";
import { JobsModule } from "./jobs.module.ts";

class MailConfig extends defineConfig(
  { MAIL_URL: string(), MAIL_FROM: string(), NODE_ENV: string() },
  {
    check({ mailUrl, mailFrom, nodeEnv }, report) {
      if (nodeEnv !== "production") return;
      if (mailUrl === undefined) report("MAIL_URL", "is not set. It takes smtp://user:password@host:587");
      if (mailFrom === undefined) report("MAIL_FROM", "is not set. It takes the address that mails come from");
    },
  },
) {}

const MailConfigModule = defineModule({ name: "mail-config", declarations: [MailConfig], exports: [MailConfig] });

/** Sends mails by jobs. In development they are files in `data/mail`, which `/_dev/panels/mail` shows. */
export const MailModule = mailModule(JobsModule, {
  imports: [MailConfigModule],
  url: () => inject(MailConfig).mailUrl,
  from: () => ({ name: "my-app", address: inject(MailConfig).mailFrom ?? "no-reply@example.com" }),
  views: new URL("../views/", import.meta.url),
});
