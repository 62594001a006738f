import type { Transport } from "../message.ts";
import type { MailSettings } from "../settings.ts";
import { FileTransport } from "./file-transport.ts";
import { MemoryTransport } from "./memory-transport.ts";

export function createTransport({ url }: MailSettings): Transport {
  if (url.kind === "memory") return new MemoryTransport();
  if (url.kind === "file") return new FileTransport(url.folder);
  throw new Error("smtp");
}
