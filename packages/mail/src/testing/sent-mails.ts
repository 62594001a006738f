import type { App } from "@tenon/core";
import { type BackgroundWork, backgroundWork } from "@tenon/core/platform";
import { withJobs } from "@tenon/jobs/testing";
import { MailDelivery } from "../mail-delivery.ts";
import type { StoredMail } from "../message.ts";
import { MemoryTransport } from "../transports/memory-transport.ts";

/** A mail that an application has sent, with the links in it. */
export interface SentMail extends Pick<StoredMail, "to" | "subject" | "html" | "text" | "links" | "headers"> {}

/**
 * Runs the jobs that are due, and returns all mails that a test application has sent, the oldest first. The URL of its
 * `mailModule()` is `memory:`.
 */
export async function sentMails(app: App): Promise<readonly SentMail[]> {
  const delivery = workOf(app).find((one) => one instanceof MailDelivery);
  if (delivery === undefined) throw new Error("sentMails(): no module of this application imports mailModule()");
  const { transport } = delivery;
  if (!(transport instanceof MemoryTransport)) {
    // files would be those of development, and so would the jobs
    throw new Error(`sentMails(): the mails of this application go to ${transport.place}. Give it the URL memory:.`);
  }
  await withJobs(app).jobs.drain();
  return (await transport.list()).toReversed();
}

function workOf(app: App): readonly BackgroundWork[] {
  return (app as { readonly [backgroundWork]?: readonly BackgroundWork[] })[backgroundWork] ?? []; // createApp() sets it
}
