import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject, type OnStart } from "@tenon/core";
import { readEnvironment, refuseOption } from "@tenon/core/internal";
import { createEtaEngine, type EtaEngine } from "@tenon/web/platform";
import { MailSettings } from "./settings.ts";

const textSuffix = ".text";

/** Renders the two views of a mail. HTML is escaped, text is not. */
export class MailViews implements OnStart {
  readonly #folder = toPath(inject(MailSettings).views);
  #html: EtaEngine | undefined;
  #text: EtaEngine | undefined;

  /** Stops the start when a mail has no views, which would be found only when it is sent. */
  check(name: string): void {
    const files = [`${name}.eta`, `${name}${textSuffix}.eta`];
    const missing = files.filter((file) => !existsSync(join(this.#folder, file)));
    if (missing.length === 0) return;
    const rule = `A mail has two views: ${files.join(" (HTML) and ")} (text).`;
    refuseOption(`The mail "${name}" has no ${missing.join(" and no ")} in ${this.#folder}. ${rule}`);
  }

  async onStart(): Promise<void> {
    const development = !readEnvironment(undefined, undefined, []).production; // createApp() reports what is wrong with it
    const owner = "mailModule()";
    const isText = (name: string) => name.endsWith(textSuffix);
    // one kind cannot include the other: a text in HTML would not be escaped
    this.#html = await createEtaEngine(this.#folder, development, {
      owner,
      strict: true, // a mail with an empty place would be sent, and cannot be taken back
      includes: (name) => isMail(name) && !isText(name),
    });
    this.#text = await createEtaEngine(this.#folder, development, {
      owner,
      escapes: false,
      strict: true,
      includes: (name) => isMail(name) && isText(name),
    });
  }

  render(name: string, data: unknown): { readonly html: string; readonly text: string } {
    if (this.#html === undefined || this.#text === undefined) throw new Error("mails are rendered after the start");
    return { html: this.#html.render(name, { data }), text: this.#text.render(name + textSuffix, { data }) };
  }
}

/** The views of pages are left to the web platform: a worker must start without them. */
function isMail(name: string): boolean {
  return name.startsWith("mail/");
}

function toPath(folder: string | URL): string {
  return typeof folder === "string" ? folder : fileURLToPath(folder);
}
