import { isIPv6 } from "node:net";
import { availableParallelism } from "node:os";
import type { HttpServer, ServerOptions, TlsSettings } from "@tenon/server";
import { handleFetch, refuseFetch } from "@tenon/server/fetch";
import { endsWithin } from "@tenon/server/internal";
import type { BoundAddress } from "@tenon/server/workers";
import type { Metric, MetricSource } from "../app/metric.ts";
import type { OpenPlatform, PlatformParts } from "../app/platform.ts";
import { stopOnCrash, stopOnSignals } from "../app/signals.ts";
import { toBodyError } from "../body/body-error.ts";
import { maxWorkers, readEnvironment } from "../config/environment.ts";
import type { OpenApiDocument } from "../openapi/document.ts";
import { formatRefusal, reasonOf } from "../request/error-format.ts";
import { StartError } from "../support/errors.ts";
import { checkOptions, type OptionTable, takes } from "../support/options.ts";
import type { HttpSettings } from "./settings.ts";

export interface ListenOptions {
  /** Zero takes any free port. Defaults to 8080. */
  readonly port?: number;
  /** Defaults to 127.0.0.1, which is reachable from this machine only. */
  readonly host?: string;
  /** Serves https. */
  readonly tls?: TlsSettings;
  /** Stops on SIGTERM and SIGINT, and on an uncaught exception. Defaults to true. */
  readonly signals?: boolean;
  /** Processes that serve the same entry point, at most 256; `all` is one for each core. Defaults to WORKERS, then to 1. */
  readonly workers?: number | "all";
}

const listenTable: OptionTable<ListenOptions> = {
  port: takes.wholeNumber(0, 65_535),
  host: takes.that((host) => host !== "", 'Use "127.0.0.1", "0.0.0.0" or a name of this machine.'), // "" is every address
  tls: true,
  signals: true,
  workers: (value) => (value === "all" ? undefined : takes.wholeNumber(1, maxWorkers)(value)),
};

export interface Address {
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

/** The methods that an HTTP platform adds to an application. */
export interface HttpApp {
  /** Runs the `onStart()` hooks and opens the port. */
  listen(options?: ListenOptions): Promise<Address>;
  /** Handles a web `Request` without a socket. */
  fetch(request: Request): Promise<Response>;
  /** The OpenAPI 3.1 document of the routes in force. */
  openapi(): Promise<OpenApiDocument>;
}

/** Opens ports, in this process or in workers, and closes them. */
export class OpenHttp implements OpenPlatform<HttpApp>, MetricSource {
  readonly methods: HttpApp = {
    listen: (options = {}) => this.#listen(options),
    fetch: (request) => this.#fetch(request),
    openapi: () => this.#toDocument(),
  };
  readonly #parts: PlatformParts;
  readonly #settings: HttpSettings;
  readonly #server: ServerOptions;
  readonly #servers = new Set<Pick<HttpServer, "close" | "connections">>();
  readonly #forgetSignals: (() => void)[] = [];
  readonly #forgetCrashes: (() => void)[] = [];
  /** Requests of `fetch()` that are being handled. */
  readonly #inFlight = new Set<Promise<Response>>();
  #closed = false;
  #hasWorkers = false;
  /** Whether a signal or a crash stops the primary of workers. */
  #isEnding = false;
  #cached: { readonly version: number; readonly document: OpenApiDocument } | undefined;

  constructor(parts: PlatformParts, settings: HttpSettings) {
    this.#parts = parts;
    this.#settings = settings;
    const { devtools, kernel, log } = parts;
    const { limits, trustedProxies, singleHeaders, errors } = settings;
    const toRefusal = (status: number) => formatRefusal(status, errors);
    const handler = devtools?.wrap(kernel) ?? kernel;
    this.#server = { handler, limits, trustedProxies, singleHeaders, toRefusal, toBodyError, log };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const forget of this.#forgetSignals.splice(0)) forget();
    await Promise.all([...this.#servers].map((server) => server.close()));
    await endsWithin(Promise.allSettled(this.#inFlight), this.#settings.limits.stopTimeout);
    for (const forget of this.#forgetCrashes.splice(0)) forget(); // until here, a crash would cut off running requests
  }

  readMetrics(): Metric[] {
    const value = [...this.#servers].reduce((total, { connections }) => total + connections, 0);
    const help = "Open connections of the HTTP server";
    return [{ name: "tenon_http_connections", help, kind: "gauge", values: [{ value }] }];
  }

  async #listen(options: ListenOptions): Promise<Address> {
    const { port = 8080, host = "127.0.0.1" } = options;
    let isWorker = false;
    try {
      checkOptions("listen()", options, listenTable);
      const environment = readEnvironment();
      const workers = options.workers ?? environment.workers ?? 1;
      const count = workers === "all" ? Math.min(availableParallelism(), maxWorkers) : workers;
      isWorker = environment.worker !== undefined && process.getBuiltinModule("node:cluster").isWorker;
      if (isWorker) return await this.#listenAsWorker(port, host, options);
      if (count > 1) return await this.#listenInWorkers(count, options);
      const address = toAddress(await this.#startServer(port, host, options), options);
      if (options.signals !== false) this.#forgetSignals.push(stopOnSignals(this.#parts.stop, this.#parts.log));
      this.#reportListening(address, "");
      return address;
    } catch (error) {
      if (this.#closed && (isWorker || this.#isEnding)) return new Promise(() => {}); // stopped by the primary, or by a signal: the process is about to exit
      await this.#parts.stop();
      return this.#parts.failStart(toListenError(error, port, host));
    }
  }

  /** Starts the application and opens the port. */
  async #startServer(port: number, host: string, { tls, signals }: ListenOptions): Promise<BoundAddress> {
    const { log, start, stop } = this.#parts;
    const server = await createEngine(this.#settings.engine, { ...this.#server, tls });
    await start();
    const bound = await server.listen(port, host);
    if (this.#closed) {
      await server.close();
      await start(); // rejects, because the application was stopped while the port was being opened
    }
    this.#servers.add(server);
    if (signals !== false) this.#forgetCrashes.push(stopOnCrash(stop, log));
    return bound;
  }

  async #listenAsWorker(port: number, host: string, options: ListenOptions): Promise<Address> {
    const { obeyPrimary, tellReady } = await import("@tenon/server/workers");
    obeyPrimary(this.#parts.stop, this.#parts.log);
    const bound = await this.#startServer(port, host, options);
    tellReady(bound);
    return toAddress(bound, options);
  }

  /** This process only starts the workers, which run the same entry point, and stops them. */
  async #listenInWorkers(count: number, options: ListenOptions): Promise<Address> {
    if (this.#hasWorkers) {
      const message = "listen() with workers was called before. A process can start workers for one port.";
      throw new StartError([{ code: "BAD_OPTION", message }]);
    }
    this.#hasWorkers = true;
    const { Workers } = await import("@tenon/server/workers");
    const { log } = this.#parts;
    const workers = new Workers(count, log, this.#settings.limits.stopTimeout, this.#parts.stopTimeout);
    this.#servers.add({ close: () => workers.stop(), connections: 0 });
    this.#parts.startPrimary(workers);
    if (options.signals !== false) {
      // before the first worker starts: it serves requests while the others start
      const stop = () => {
        this.#isEnding = true;
        return this.#parts.stop();
      };
      const restart = () => workers.restart();
      process.on("SIGHUP", restart);
      this.#forgetSignals.push(stopOnSignals(stop, log), () => process.off("SIGHUP", restart));
      this.#forgetCrashes.push(stopOnCrash(stop, log));
    }
    const bound = await workers.start().catch(async (error: unknown) => {
      if (this.#closed) await this.#parts.start(); // rejects, because the application was stopped
      log.debug({ err: error }, "a worker did not start");
      throw new StartError([]); // the worker has printed why
    });
    const address = toAddress(bound, options);
    this.#reportListening(address, ` with ${count} workers: what they keep in memory is per process`);
    return address;
  }

  /** The banner says the same as the log line, and `tenon dev` reports each restart itself. */
  #reportListening(address: Address, detail: string): void {
    const { announce, devtools, log } = this.#parts;
    const { url } = address;
    const { dev } = readEnvironment();
    const hasBanner = announce !== undefined && devtools !== undefined;
    if (hasBanner && log.isLevelEnabled("info")) {
      announce(devtools.toBanner({ url, browserUrl: toReachableUrl(address), docs: this.#settings.docs?.path }));
    }
    if (detail !== "" || !(hasBanner || dev === "restart")) log.info(`listening on ${url}${detail}`);
    if (dev !== undefined) process.send?.({ tenon: "listening", url }, () => {}); // without a callback, a closed channel would be an error event
  }

  async #fetch(request: Request): Promise<Response> {
    try {
      if (!this.#closed) await this.#parts.start();
    } catch (error) {
      if (!this.#closed) throw error; // else the stop came while this request waited for the start
    }
    if (this.#closed) return refuseFetch(request, { status: 503, reason: "stopping" }, this.#server);
    const response = handleFetch(this.#server, request);
    this.#inFlight.add(response);
    return response.finally(() => this.#inFlight.delete(response));
  }

  /** Makes the OpenAPI document at its first use, and again when the routes have changed. */
  async #toDocument(): Promise<OpenApiDocument> {
    const { module: name, routes } = this.#parts;
    const { version } = routes;
    if (this.#cached?.version === version) return this.#cached.document;
    const { toOpenApi } = await import("../openapi/document.ts");
    const { readsForms, errors, openapi: info } = this.#settings;
    const document = toOpenApi(routes.list(), { name, info, errors, readsForms, reasonOf });
    this.#cached = { version, document };
    return document;
  }
}

const anyAddress = new Set(["0.0.0.0", "::"]);

/** A browser cannot open a wildcard address such as 0.0.0.0. */
export function toReachableUrl({ url, host, port }: Address): string {
  return anyAddress.has(host) ? `${new URL(url).protocol}//localhost:${port}` : url;
}

/** Only the engine that is used is loaded. */
async function createEngine(chosen: HttpSettings["engine"], options: ServerOptions): Promise<HttpServer> {
  const name = chosen ?? readEnvironment().engine ?? "wire";
  if (name === "wire") return new (await import("@tenon/server")).WireServer(options);
  return new (await import("@tenon/server/node")).NodeServer(options);
}

function toAddress(bound: BoundAddress, { tls }: ListenOptions): Address {
  const name = isIPv6(bound.address) ? `[${bound.address}]` : bound.address;
  return {
    url: `${tls === undefined ? "http" : "https"}://${name}:${bound.port}`,
    host: bound.address,
    port: bound.port,
  };
}

const unresolved = (_: number, host: string) =>
  `The host name ${host} cannot be resolved. Use 127.0.0.1 or 0.0.0.0, or a name of this machine.`;

/** How to start on another port. `tenon dev` passes the flag on to the application. */
function toOtherPort(port: number): string {
  const other = Math.min(port + 1, 65_534);
  if (readEnvironment().dev !== undefined) return `tenon dev --port=${other}`;
  return `PORT=${other} or --port=${other}, where the application reads them`;
}

const causes = new Map<string, (port: number, host: string) => string>([
  [
    "EADDRINUSE",
    (port, host) =>
      `Port ${port} on ${host} is in use. Stop the program that has it, or take another port: ${toOtherPort(port)}.`,
  ],
  ["EACCES", (port) => `Port ${port} needs rights that this process does not have. Use a port above 1023.`],
  ["EADDRNOTAVAIL", (_, host) => `${host} is not an address of this machine. Use 127.0.0.1 or 0.0.0.0.`],
  ["ENOTFOUND", unresolved],
  ["EAI_AGAIN", unresolved],
]);

/** Says in one line why the port did not open and what to do. */
export function toListenError(error: unknown, port: number, host: string): StartError {
  if (error instanceof StartError) return error;
  const { code = "", message: detail } = Object(error) as NodeJS.ErrnoException; // of node:net, node:tls or node:cluster
  const message = causes.get(code)?.(port, host) ?? `Cannot listen on ${host}:${port}: ${detail}`;
  return new StartError([{ code: "LISTEN_FAILED", message, cause: error }]);
}
