import { type Context, type Contract, content, endpoint, inject, type RequestContext } from "@tenon/core";
import {
  asWrittenBy,
  type FailuresOf,
  type InputOf,
  type ParamsOf,
  type PathOf,
  refuseOption,
} from "@tenon/core/platform";
import { LiveConnections } from "./connections.ts";
import { EventFormat } from "./event-format.ts";
import { EventStream, type StreamRoute, toBlock, toPositionBlock } from "./event-stream.ts";
import { checkMessages, type Messages, OutgoingMessages } from "./messages.ts";
import { type ConnectionLimits, checkLimits } from "./settings.ts";

/** What an event stream accepts and sends. */
export interface EventsContract extends Omit<Contract, "body" | "returns" | "live"> {
  /** Schemas of the events, by name. */
  readonly sends: Messages;
  readonly limits?: ConnectionLimits;
}

/**
 * A handler that responds with server-sent events. It runs after the middlewares of its route; what it throws is a
 * normal response. The stream stays open when it returns: subscribe it to a topic, or keep it and send.
 */
export function events<const C extends EventsContract, Param extends string = string>(
  contract: C,
  handler: (
    ctx: RequestContext<ParamsOf<C, Param>, FailuresOf<C>>,
    stream: EventStream<C["sends"]>,
    input: InputOf<C>,
  ) => unknown,
): (ctx: Context<PathOf<ParamsOf<C, NoInfer<Param>>>>) => unknown {
  if (typeof handler !== "function")
    refuseOption("events() takes a contract and a handler: events({ sends }, (ctx, stream) => …).");
  const { sends, limits = {}, ...rest } = contract as EventsContract; // its own type, which every contract has
  checkMessages("events()", sends, "sends");
  checkLimits("events()", limits);
  const connections = inject(LiveConnections);
  const messages = new OutgoingMessages(sends, toBlock);
  const createRoute = ({ route: matched }: Context): StreamRoute => ({
    messages,
    connections,
    format: new EventFormat(messages, connections, `${matched?.method} ${matched?.path}`, toPositionBlock),
    pendingBytes: limits.pendingBytes ?? connections.settings.pendingBytes,
  });
  let route: StreamRoute | undefined;

  async function openStream(this: unknown, ctx: Context, input: unknown): Promise<EventStream> {
    route ??= createRoute(ctx);
    const stream = new EventStream<C["sends"]>(route, ctx);
    connections.add(stream);
    try {
      await handler.call(this, ctx, stream, input as InputOf<C>); // validated by the contract that it is inferred from
    } catch (error) {
      await stream.return();
      throw error;
    }
    // proxies must neither store nor compress nor collect what is sent
    ctx.response().setHeader("cache-control", "no-store, no-transform").setHeader("x-accel-buffering", "no");
    return stream as unknown as EventStream; // for the engine it is only an iterator
  }
  const declared = { ...rest, returns: content("text/event-stream"), live: { kind: "events", sends } } as const;
  return endpoint(declared as Contract, asWrittenBy(openStream, handler));
}
