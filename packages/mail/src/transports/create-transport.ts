import type { Transport } from "../message.ts";
import type { MailSettings } from "../settings.ts";
import { FileTransport } from "./file-transport.ts";
import { MemoryTransport } from "./memory-transport.ts";
import { SmtpTransport } from "./smtp-transport.ts";

export function createTransport(settings: MailSettings): Transport {
  const { url } = settings;
  if (url.kind === "memory") return new MemoryTransport();
  return url.kind === "file" ? new FileTransport(url.folder) : new SmtpTransport(url, settings);
}
