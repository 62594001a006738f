import { defineModule, inject, type Module, provide } from "@tenon/core";
import { type ConfigIn, resolveOptions } from "@tenon/core/internal";
import { MailPanels } from "./dev-panel.ts";
import { MailDelivery } from "./mail-delivery.ts";
import { MailViews } from "./mail-views.ts";
import { Mailer } from "./mailer.ts";
import { Transport } from "./message.ts";
import { type MailModuleOptions, MailSettings, type PlainMailOptions, toMailSettings } from "./settings.ts";
import { createTransport } from "./transports/create-transport.ts";

/** Mails, sent by the jobs of the given module. Exports `Mailer`. */
export function mailModule<JobsModule extends Module, const Imports extends readonly Module[] = []>(
  jobs: JobsModule,
  options: MailModuleOptions<Imports>,
): Module<ConfigIn<[JobsModule, ...Imports]>> {
  return defineModule({
    name: "mail",
    imports: [jobs, ...(options?.imports ?? [])],
    declarations: [
      provide(MailSettings, () => toMailSettings(resolveOptions<PlainMailOptions>(options))),
      provide(Transport, () => createTransport(inject(MailSettings))),
      MailViews,
      MailDelivery,
      MailPanels,
      Mailer,
    ],
    exports: [Mailer, MailDelivery],
  });
}
