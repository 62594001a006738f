import { isIPv6 } from "node:net";
import { availableParallelism } from "node:os";
import { readEnvironment } from "../boot/environment.ts";
import { endsInTime } from "../boot/in-time.ts";
import { stopOnSignals } from "../boot/signals.ts";
import { describeValue, type Problem, StartError } from "../errors.ts";
import type { Metric, MetricSource } from "../metric.ts";
import type { OpenApiDocument } from "../openapi/document.ts";
import { checkNames, namesOf } from "../options.ts";
import type { OpenPlatform, PlatformParts } from "../platform.ts";
import { readManifest, toBanner } from "./banner.ts";
import type { Engine, EngineOptions, TlsSettings } from "./engine.ts";
import { reasonOf } from "./error-formats.ts";
import { handleFetch } from "./fetch.ts";
import { isLoopback } from "./local-request.ts";
import { checkProxies } from "./proxy.ts";
import { codeOf } from "./refusal.ts";
import { checkLimits, type HttpSettings } from "./settings.ts";
import { Unread } from "./unread.ts";

export interface ListenOptions {
  /** Zero takes any free port. Defaults to 8080. */
  readonly port?: number;
  /** Defaults to 127.0.0.1, which is reachable from this machine only. */
  readonly host?: string;
  /** Serves https. */
  readonly tls?: TlsSettings;
  /** Stops on SIGTERM and SIGINT. Defaults to true. */
  readonly signals?: boolean;
  /** Processes that serve the same entry point; `all` is one for each core. Defaults to WORKERS, then to 1. */
  readonly workers?: number | "all";
}

const listenNames = namesOf<ListenOptions>({ port: true, host: true, tls: true, signals: true, workers: true });

export interface Address {
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

/** The methods that an HTTP platform adds to an application. */
export interface HttpMethods {
  /** Runs the `onStart()` hooks and opens the port. */
  listen(options?: ListenOptions): Promise<Address>;
  /** Handles a web `Request` without a socket. */
  fetch(request: Request): Promise<Response>;
  /** The OpenAPI 3.1 document of the routes in force. */
  openapi(): Promise<OpenApiDocument>;
}

export function createHttpMethods(
  parts: PlatformParts,
  settings: HttpSettings,
): OpenPlatform<HttpMethods> & MetricSource {
  const problems = [...checkLimits(settings.limits), ...checkProxies(settings.trustedProxies)];
  if (problems.length > 0) throw new StartError(problems);
  const handler = parts.devtools?.wrap(parts.kernel) ?? parts.kernel;
  const unread = new Unread(settings.limits, parts.log);
  const servers = new Set<Pick<Engine, "close" | "connections">>();
  const forgetSignals: (() => void)[] = [];
  const inFlight = new Set<Promise<Response>>();
  let closed = false;
  let hasWorkers = false;
  let described: { readonly version: number; readonly document: OpenApiDocument } | undefined;

  async function listen(options: ListenOptions = {}): Promise<Address> {
    const { port = 8080, host = "127.0.0.1" } = options;
    let isWorker = false;
    try {
      checkNames("listen()", options, listenNames);
      const environment = readEnvironment();
      const workers = options.workers ?? environment.workers ?? 1;
      const mistakes = checkListenOptions(port, host, workers);
      if (mistakes.length > 0) throw new StartError(mistakes);
      const count = workers === "all" ? availableParallelism() : workers;
      isWorker = environment.worker !== undefined && process.getBuiltinModule("node:cluster").isWorker;
      if (count > 1 && !isWorker) return await listenInWorkers(count, options);
      const primary = isWorker ? await import("./workers.ts") : undefined;
      primary?.obeyPrimary(parts.stop, parts.log);
      const server = await createEngine({ handler, settings, log: parts.log, unread, tls: options.tls });
      await parts.start();
      const bound = await server.listen(port, host);
      if (closed) {
        await server.close();
        await parts.start(); // rejects, because the application was stopped while the port was being opened
      }
      servers.add(server);
      const address = toAddress(bound, options);
      primary?.tellReady(bound);
      if (primary !== undefined) return address;
      if (options.signals !== false) forgetSignals.push(stopOnSignals(parts.stop, parts.log));
      reportListening(address, "");
      return address;
    } catch (error) {
      if (isWorker && closed) return new Promise(() => {}); // stopped by the primary: the process is about to exit
      await parts.stop();
      return parts.failStart(toListenError(error, port, host));
    }
  }

  /** This process only starts the workers, which run the same entry point, and stops them. */
  async function listenInWorkers(count: number, options: ListenOptions): Promise<Address> {
    if (hasWorkers) {
      const message = "listen() with workers was called before. A process can start workers for one port.";
      throw new StartError([{ code: "BAD_OPTION", message }]);
    }
    hasWorkers = true;
    const { Workers } = await import("./workers.ts");
    const stopTimeout = settings.limits.stopTimeout + 2 * parts.stopTimeout;
    const workers = new Workers(count, parts.log, stopTimeout);
    servers.add({ close: () => workers.stop(), connections: 0 });
    parts.startPrimary(workers);
    const bound = await workers.start().catch((error: unknown) => {
      parts.log.debug({ err: error }, "a worker did not start");
      throw new StartError([]); // the worker has printed why
    });
    if (options.signals !== false) {
      forgetSignals.push(stopOnSignals(parts.stop, parts.log));
      const restart = () => void workers.restart();
      process.on("SIGHUP", restart);
      forgetSignals.push(() => process.off("SIGHUP", restart));
    }
    const address = toAddress(bound, options);
    reportListening(address, ` with ${count} workers: what they keep in memory is per process`);
    return address;
  }

  /** The banner says the same as the log line, and `tenon dev` reports each restart itself. */
  function reportListening(address: Address, detail: string): void {
    const { url } = address;
    const { dev } = readEnvironment();
    const hasBanner = parts.announce !== undefined && parts.log.isLevelEnabled("info");
    if (hasBanner) {
      const devtools = toDevtoolsUrl(address, parts.devtools?.path);
      const facts = { url, routes: parts.routes.list(), docs: settings.docs?.path, devtools, stores: parts.stores() };
      parts.announce?.(toBanner(facts, readManifest()));
    }
    if (detail !== "" || (!hasBanner && dev === undefined)) parts.log.info(`listening on ${url}${detail}`);
    if (dev !== undefined) process.send?.({ tenon: "listening", url }, () => {}); // without a callback, a closed channel would be an error event
  }

  async function fetch(request: Request): Promise<Response> {
    try {
      if (!closed) await parts.start();
    } catch (error) {
      if (!closed) throw error; // else the stop came while this request waited for the start
    }
    if (closed) return Response.json({ error: "Service Unavailable" }, { status: 503 });
    const response = handleFetch({ ...parts, kernel: handler }, request, settings);
    inFlight.add(response);
    return response.finally(() => inFlight.delete(response));
  }

  /** Made when it is first asked for, and again when the routes have changed. */
  async function openapi(): Promise<OpenApiDocument> {
    const { version } = parts.routes;
    if (described?.version === version) return described.document;
    const { toOpenApi } = await import("../openapi/document.ts");
    const { platform, errors, openapi: info } = settings;
    const routes = parts.routes.list().filter(({ owner }) => owner !== platform); // its own: assets and the docs page
    const readsForms = platform === "web()";
    const document = toOpenApi(routes, { name: parts.module, info, errors, readsForms, reasonOf });
    described = { version, document };
    return document;
  }

  async function close(): Promise<void> {
    closed = true;
    for (const forget of forgetSignals.splice(0)) forget();
    await Promise.all([...servers].map((server) => server.close()));
    await endsInTime(Promise.allSettled(inFlight), settings.limits.stopTimeout);
  }

  function readMetrics(): Metric[] {
    const value = [...servers].reduce((total, { connections }) => total + connections, 0);
    const help = "Open connections of the HTTP server";
    return [{ name: "tenon_http_connections", help, kind: "gauge", values: [{ value }] }];
  }

  return { methods: { listen, fetch, openapi }, close, readMetrics };
}

const anyAddress = new Set(["0.0.0.0", "::"]);

/** Undefined where the port cannot be reached by a loopback address: developer tools respond to no other. */
export function toDevtoolsUrl({ url, host }: Address, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  if (isLoopback(host)) return `${url}${path}`;
  if (!anyAddress.has(host)) return undefined;
  const { protocol, port } = new URL(url);
  return `${protocol}//localhost:${port}${path}`;
}

/** Only the engine that is used is loaded. */
async function createEngine(options: EngineOptions): Promise<Engine> {
  const name = options.settings.engine ?? readEnvironment().engine ?? "wire";
  if (name === "wire") return new (await import("./wire-server.ts")).WireServer(options);
  return new (await import("./node-server.ts")).NodeServer(options);
}

function toAddress(bound: { readonly address: string; readonly port: number }, { tls }: ListenOptions): Address {
  const name = isIPv6(bound.address) ? `[${bound.address}]` : bound.address;
  return {
    url: `${tls === undefined ? "http" : "https"}://${name}:${bound.port}`,
    host: bound.address,
    port: bound.port,
  };
}

function checkListenOptions(port: number, host: string, workers: unknown): Problem[] {
  const problems: Problem[] = [];
  if (workers !== "all" && !(Number.isInteger(workers) && Number(workers) >= 1)) {
    const message = `workers is ${describeValue(workers)}. It takes a whole number from 1 on, or "all".`;
    problems.push({ code: "BAD_OPTION", message });
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    problems.push({ code: "BAD_OPTION", message: `port is ${String(port)}. It takes a whole number from 0 to 65535.` });
  }
  if (typeof host !== "string" || host === "") {
    problems.push({
      code: "BAD_OPTION",
      message: 'host is empty. Use "127.0.0.1", "0.0.0.0" or a name of this machine.',
    });
  }
  return problems;
}

const unresolved = (_: number, host: string) =>
  `The host name ${host} cannot be resolved. Use 127.0.0.1 or 0.0.0.0, or a name of this machine.`;

const causes = new Map<string, (port: number, host: string) => string>([
  [
    "EADDRINUSE",
    (port, host) => `Port ${port} on ${host} is in use. Stop the program that has it, or listen on another port.`,
  ],
  ["EACCES", (port) => `Port ${port} needs rights that this process does not have. Use a port above 1023.`],
  ["EADDRNOTAVAIL", (_, host) => `${host} is not an address of this machine. Use 127.0.0.1 or 0.0.0.0.`],
  ["ENOTFOUND", unresolved],
  ["EAI_AGAIN", unresolved],
]);

/** Says in one line why the port did not open and what to do. */
export function toListenError(error: unknown, port: number, host: string): StartError {
  if (error instanceof StartError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  const message = causes.get(codeOf(error))?.(port, host) ?? `Cannot listen on ${host}:${port}: ${detail}`;
  return new StartError([{ code: "LISTEN_FAILED", message, cause: error }]);
}
