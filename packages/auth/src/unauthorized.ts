import type { Context, Reply } from "@tenon/core";

export function unauthorized(ctx: Context, error: string): Reply {
  return ctx.status(401).json({ error });
}
