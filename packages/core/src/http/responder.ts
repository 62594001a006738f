import { discard } from "../body/stream.ts";
import type { Outgoing, Upgrade } from "../request/reply.ts";
import type { EngineOptions } from "./engine.ts";
import type { RejectedRequest } from "./inspect.ts";
import { type ByteTarget, type PumpedRequest, pump } from "./pump.ts";
import { RoundRobin } from "./round-robin.ts";
import { declaredLengthOf, type ResponseTarget, writeResponse } from "./write.ts";

/** The request of a response. */
interface Responded extends PumpedRequest {
  readonly method: string;
  readonly path: string;
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
        request,
        eventStream: outgoing.type.startsWith("text/event-stream"),
        pendingBytes,
        turns: this.#turns,
        endings: this.#endings,
        onError: (error) => this.logError(error, request, "the stream failed"),
      });
      if (this.stopping) this.endStreams(); // one that opens after the others were ended
      return pumped;
    } catch (error) {
      this.logError(error, request, "the response could not be written");
      discard(outgoing.body);
      this.#sendError(target, 500, "response");
      return undefined;
    }
  }

  /** Responds to a request that does not reach the kernel. */
  refuse(target: ResponseTarget, { status, reason }: RejectedRequest): void {
    if (status === 204) target.send(status, [], null, true);
    else {
      this.#options.log.info({ status, reason }, "refused");
      this.#sendError(target, status, reason);
    }
  }

  /** Responds to a request of a route that upgrades, on a connection that cannot be taken over. */
  refuseUpgrade(target: ResponseTarget, upgrade: Upgrade): void {
    upgrade.discard();
    if (!target.destroyed) this.#sendError(target, 426, "upgrade", ["upgrade", upgrade.protocol]);
  }

  logError(error: unknown, { method, path }: Pick<Responded, "method" | "path">, text: string): void {
    this.#options.log.error({ err: error }, `${method} ${path}: ${text}`);
  }

  #sendError(target: ResponseTarget, status: number, reason: string, headers: readonly string[] = []): void {
    const { type, body } = this.#options.toRefusal(status, reason);
    const described = ["content-type", type, "content-length", String(Buffer.byteLength(body))];
    target.send(status, [...headers, ...described], target.isHead ? null : body, true);
  }
}
