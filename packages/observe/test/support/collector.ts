import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 0 unset, 1 ok, 2 error. */
  readonly status: number;
  readonly events: readonly string[];
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly kind: number;
        readonly attributes?: readonly Attribute[];
        readonly status?: { readonly code?: number };
        readonly events?: readonly { readonly name: string }[];
      }[];
    }[];
  }[];
}

/** Receives OTLP over HTTP as JSON, as a collector does. */
export class Collector {
  /** The bodies of all requests. */
  readonly bodies: { readonly path: string; readonly text: string }[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Collector> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        collector.bodies.push({ path: request.url ?? "", text: Buffer.concat(chunks).toString() });
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      });
    });
    const collector = new Collector(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // it listens on a TCP port
  }

  get spans(): ReceivedSpan[] {
    return this.bodies
      .filter(({ path }) => path === "/v1/traces")
      .flatMap(({ text }) => (JSON.parse(text) as TraceRequest).resourceSpans)
      .flatMap(({ resource, scopeSpans }) => {
        const service = String(toRecord(resource.attributes)["service.name"]);
        return scopeSpans.flatMap(({ spans }) =>
          spans.map(({ name, traceId, spanId, parentSpanId = "", kind, attributes = [], status, events = [] }) => ({
            service,
            name,
            traceId,
            spanId,
            parentSpanId,
            kind,
            attributes: toRecord(attributes),
            status: status?.code ?? 0,
            events: events.map((event) => event.name),
          })),
        );
      });
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function toRecord(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
