import type { Socket } from "node:net";
import { discard } from "../body/stream.ts";
import type { Outgoing, Upgrade } from "../request/reply.ts";
import type { EngineOptions } from "./engine.ts";
import { type RejectedRequest, toErrorBody } from "./inspect.ts";
import { type ByteTarget, pump } from "./pump.ts";
import { RoundRobin } from "./round-robin.ts";
import { declaredLengthOf, type ResponseTarget, writeResponse } from "./write.ts";

/** The request of a response. */
interface Responded {
  readonly method: string;
  readonly path: string;
  readonly socket: Socket;
  /** The response was ended early. */
  abort(): void;
}

/** Writes the responses of an engine: whole ones, streams and errors. */
export class Responder {
  readonly #options: EngineOptions;
  /** End the open event streams. */
  readonly #endings = new Set<() => void>();
  readonly #turns = new RoundRobin(10);
  /** Event streams that open from now on end at once. */
  stopping = false;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  endStreams(): void {
    for (const end of this.#endings) end();
  }

  /** Resolves when the stream has ended. Undefined for any other body, which is written whole. */
  write(
    outgoing: Outgoing,
    close: boolean,
    request: Responded,
    target: ResponseTarget,
    bytes: ByteTarget,
  ): Promise<void> | undefined {
    const { pendingBytes } = this.#options;
    try {
      const stream = writeResponse(target, outgoing, close, pendingBytes);
      if (stream === undefined) return undefined;
      const pumped = pump(bytes, stream, declaredLengthOf(outgoing), {
        socket: request.socket,
        eventStream: outgoing.type.startsWith("text/event-stream"),
        pendingBytes,
        turns: this.#turns,
        endings: this.#endings,
        onEarlyEnd: () => request.abort(),
        onError: (error) => this.logError(error, request, "the stream failed"),
      });
      if (this.stopping) this.endStreams(); // one that opens after the others were ended
      return pumped;
    } catch (error) {
      this.logError(error, request, "the response could not be written");
      discard(outgoing.body);
      this.#sendError(target, 500);
      return undefined;
    }
  }

  /** Responds to a request that does not reach the kernel. */
  refuse(target: ResponseTarget, { status, reason }: RejectedRequest): void {
    if (status !== 204) this.#options.log.info({ status, reason }, "refused");
    this.#sendError(target, status);
  }

  /** Responds to a request of a route that upgrades, on a connection that cannot be taken over. */
  refuseUpgrade(target: ResponseTarget, upgrade: Upgrade): void {
    upgrade.discard();
    if (!target.destroyed) this.#sendError(target, 426, ["upgrade", upgrade.protocol]);
  }

  logError(error: unknown, { method, path }: Pick<Responded, "method" | "path">, text: string): void {
    this.#options.log.error({ err: error }, `${method} ${path}: ${text}`);
  }

  #sendError(target: ResponseTarget, status: number, headers: readonly string[] = []): void {
    const { errors } = this.#options.settings;
    const body = status === 204 ? "" : toErrorBody(status, errors);
    const length = String(Buffer.byteLength(body));
    const described = body === "" ? [] : ["content-type", errors.type, "content-length", length];
    target.send(status, [...headers, ...described], target.isHead ? null : body, true);
  }
}
