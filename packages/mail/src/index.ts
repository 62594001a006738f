export { type Address, isAddress, parseAddress } from "./address.ts";
export { mail } from "./mail.ts";
export { defineMail, type MailDefinition, type MailOptions } from "./mail-definition.ts";
export type { Composed } from "./mail-delivery.ts";
export { mailModule } from "./mail-module.ts";
export { Mailer } from "./mailer.ts";
export type { MailModuleOptions } from "./settings.ts";
