import type { Context, Reply } from "@tenon/core";

/**
 * Says what the data of a handler mean: a `view()`, a `redirect()`, any other reply, or undefined for the default rules.
 * Asked for data only: what a handler has already made a view, a redirect, a text or a stream stays what it is.
 */
export type Serializer = (value: unknown, ctx: Context) => Reply | undefined | Promise<Reply | undefined>;
