import { type Context, type Contract, endpoint, Reply } from "@tenon/core";
import { checkOptions, type InputOf, refuseOption, withSource } from "@tenon/core/internal";
import { type LiveContext, type LiveHandler, LiveRoute } from "../live-route.ts";
import { type Messages, messagesCheck } from "../messages.ts";
import { type ConnectionLimits, connectionTable } from "../settings.ts";
import { EventStream, streamSyntax } from "./event-stream.ts";

/** What an event stream accepts and sends. */
export interface EventsContract extends Omit<Contract, "body" | "returns" | "live"> {
  /** Schemas of the events, by name. */
  readonly sends: Messages;
  readonly limits?: ConnectionLimits;
}

/**
 * A handler that responds with server-sent events. It runs after the middlewares of its route; an error that it throws
 * and a reply that it returns are normal responses. The stream stays open when it returns: subscribe it to a topic, or keep it and send.
 */
export function events<const C extends EventsContract, Param extends string = string>(
  contract: C,
  handler: (ctx: LiveContext<C, Param>, stream: EventStream<C["sends"]>, input: InputOf<C>) => unknown,
): LiveHandler<C, Param> {
  if (typeof handler !== "function")
    refuseOption("events() takes a contract and a handler: events({ sends }, (ctx, stream) => …).");
  const { sends, limits = {}, ...rest } = contract as EventsContract; // its own type, which every contract has
  checkOptions("events()", { sends, limits }, { sends: messagesCheck, limits: connectionTable });
  const route = new LiveRoute(sends, streamSyntax, limits);

  async function openStream(this: unknown, ctx: Context, input: unknown): Promise<unknown> {
    const stream = new EventStream<C["sends"]>(route, ctx);
    route.add(stream, ctx);
    try {
      const value = await handler.call(this, ctx, stream, input as InputOf<C>); // validated by the contract that it is inferred from
      if (value instanceof Reply || value instanceof Error) {
        await stream.return();
        return value;
      }
    } catch (error) {
      await stream.return();
      throw error;
    }
    // proxies must neither store nor compress nor collect what is sent
    ctx.response().setHeader("cache-control", "no-store, no-transform").setHeader("x-accel-buffering", "no");
    return stream;
  }
  const declared = { ...rest, returns: { content: "text/event-stream" }, live: { kind: "events", sends } } as const;
  return endpoint(declared as Contract, withSource(openStream, handler));
}
