import type { Context } from "@tenon/core";

const longest = 2000;

/** Where a client that reconnects wants to continue. A page cannot set headers of a WebSocket, so it may be in the query. */
export function lastEventIdOf(ctx: Context): string {
  const id = ctx.header("last-event-id") || ctx.query("lastEventId");
  return id.slice(0, longest); // the last part of a longer one cannot be read: that is a "reset"
}
