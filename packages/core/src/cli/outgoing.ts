import { isResponse, Outgoing, Reply } from "../reply.ts";

/** What a command gives back. The door lays it out, because only the door knows how wide the terminal is. */
export class CommandOutgoing extends Outgoing {
  readonly reply: Reply;
  /** Whether it failed because of how it was called. */
  readonly isUsageError: boolean;

  constructor(reply: Reply, { isUsageError = false }: { readonly isUsageError?: boolean } = {}) {
    super(reply.status, null, "");
    this.reply = reply;
    this.isUsageError = isUsageError;
  }
}

/** A web `Response` becomes the stream inside it. */
export function toCommandOutgoing(reply: Reply): CommandOutgoing {
  const { value } = reply;
  if (reply.kind !== "raw" || !isResponse(value as object)) return new CommandOutgoing(reply);
  const { status, body } = value as Response; // told by its tag
  return new CommandOutgoing(new Reply(status, body === null ? "empty" : "raw", body));
}
