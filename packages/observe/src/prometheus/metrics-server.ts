import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inject, Log, type OnStart, type OnStop } from "@tenon/core";
import { textFormat } from "../metrics/text-format.ts";
import { ObserveSettings } from "../settings.ts";
import { Metrics } from "./metrics.ts";
import { createTokenCheck } from "./metrics-controller.ts";

/** Serves the metrics on a port of their own, where the settings name one. */
export class MetricsServer implements OnStart, OnStop {
  readonly #settings = inject(ObserveSettings).metrics;
  readonly #metrics = inject(Metrics);
  readonly #log = inject(Log);
  #server: Server | undefined;

  /** Undefined until the start, and without a port of its own. */
  get address(): AddressInfo | undefined {
    const address = this.#server?.address();
    return typeof address === "object" && address !== null ? address : undefined;
  }

  async onStart(): Promise<void> {
    if (this.#settings?.port === undefined) return;
    const { port, host, path, token } = this.#settings;
    const isAuthorized = token === undefined ? () => true : createTokenCheck(token);
    const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
      if (isAuthorized(request.headers.authorization ?? "")) void this.#respond(request, response, path);
      else response.writeHead(401, { "www-authenticate": "Bearer" }).end();
    });
    await once(server.listen({ port, host }), "listening"); // rejects at an error
    server.on("error", (error) => this.#log.error({ err: error }, "the metrics server failed"));
    this.#server = server.unref();
    this.#log.info(`metrics on http://${host}:${this.address?.port}${path}`);
  }

  async onStop(): Promise<void> {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  async #respond({ method, url = "" }: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const isFound = (method === "GET" || method === "HEAD") && url.split("?")[0] === path;
    if (!isFound) {
      response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("Not Found\n");
      return;
    }
    try {
      const text = await this.#metrics.text();
      response.writeHead(200, { "content-type": textFormat }).end(method === "HEAD" ? undefined : text);
    } catch (error) {
      this.#log.error({ err: error }, "the metrics could not be read");
      response.writeHead(500).end();
    }
  }
}
