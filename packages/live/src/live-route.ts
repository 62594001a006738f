import { type Context, type Contract, inject } from "@tenon/core";
import type { ErrorsOf, ParamsOf, PathOf, RequestContext } from "@tenon/core/internal";
import type { LiveEvent } from "./channels/live-event.ts";
import type { ResumeIds } from "./channels/position.ts";
import { type LiveConnection, LiveConnections } from "./connections.ts";
import { type InvalidMessage, type Messages, OutgoingMessages, type Syntax } from "./messages.ts";
import type { SocketLimits } from "./settings.ts";
import type { TopicFormat } from "./topic-list.ts";
import type { Wire } from "./wire.ts";

/** The context that the handlers of a live route get. */
export type LiveContext<C extends Contract, Param extends string> = RequestContext<ParamsOf<C, Param>, ErrorsOf<C>>;

/** What `events()` and `socket()` return: a handler for a route whose path has the declared parameters. */
export type LiveHandler<C extends Contract, Param extends string> = (
  ctx: Context<PathOf<ParamsOf<C, NoInfer<Param>>>>,
) => unknown;

/** What the connections of a route have in common. */
export class LiveRoute implements TopicFormat {
  readonly connections: LiveConnections = inject(LiveConnections);
  readonly messages: OutgoingMessages;
  readonly limits: Required<SocketLimits>;
  /** For log lines: `GET /live/posts`. Known from the first request on. */
  #name = "";

  constructor(sends: Messages, syntax: Syntax, limits: SocketLimits) {
    this.messages = new OutgoingMessages(sends, syntax);
    this.limits = { ...this.connections.settings, ...limits };
  }

  /** Throws a 503 when there are too many connections. */
  add(connection: LiveConnection, { route }: Context): void {
    this.#name ||= `${route?.method} ${route?.path}`;
    this.connections.add(connection);
  }

  get ids(): ResumeIds {
    return this.connections.ids;
  }

  position(id: string): Wire {
    return this.messages.encodePosition(id);
  }

  event(event: LiveEvent, id: string): Wire | undefined {
    return this.messages.encodeEvent(event, id, this.#onInvalid);
  }

  reset(topic: string, id: string): Wire {
    return this.messages.encodeReset(topic, id);
  }

  reportFailedClose(error: unknown): void {
    this.connections.log.error({ err: error }, `${this.#name}: a function given to onClose() has failed`);
  }

  readonly #onInvalid = ({ topic }: LiveEvent, error: InvalidMessage): void =>
    this.connections.reportUnsent(this.#name, topic, error);
}
