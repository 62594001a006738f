import { StartError } from "../errors.ts";
import { checkNames, namesOf } from "../options.ts";
import type { Door, DoorParts } from "../platform/platform.ts";
import { stopOnSignals } from "../signals.ts";
import { handleFetch } from "./fetch.ts";
import { checkListenOptions, toListenError } from "./listen-error.ts";
import { NodeServer, type TlsSettings } from "./node.ts";
import { checkProxies } from "./proxy.ts";
import { checkLimits, type HttpSettings } from "./settings.ts";
import { Unread } from "./unread.ts";

export interface ListenOptions {
  /** Zero takes any free port. 8080 unless told otherwise. */
  readonly port?: number;
  /** 127.0.0.1 unless told otherwise: reachable from this machine only. */
  readonly host?: string;
  /** Serves https. */
  readonly tls?: TlsSettings;
  /** Stops on SIGTERM and SIGINT. True unless told otherwise. */
  readonly signals?: boolean;
}

const listenNames = namesOf<ListenOptions>({ port: true, host: true, tls: true, signals: true });

export interface Address {
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

/** What an application on an HTTP platform can do. */
export interface HttpMethods {
  /** Runs the `onStart()` hooks and opens the port. */
  listen(options?: ListenOptions): Promise<Address>;
  /** Answers a web `Request` without a socket. */
  fetch(request: Request): Promise<Response>;
}

export function createHttpDoor(parts: DoorParts, settings: HttpSettings): Door<HttpMethods> {
  const problems = [...checkLimits(settings.limits), ...checkProxies(settings.trustedProxies)];
  if (problems.length > 0) throw new StartError(problems);
  const unread = new Unread(settings.limits, parts.log);
  const servers = new Set<NodeServer>();
  const forgetSignals: (() => void)[] = [];
  const inFlight = new Set<Promise<Response>>();
  let closed = false;

  async function listen(options: ListenOptions = {}): Promise<Address> {
    const { port = 8080, host = "127.0.0.1" } = options;
    try {
      checkNames("listen()", options, listenNames);
      const mistakes = checkListenOptions(port, host);
      if (mistakes.length > 0) throw new StartError(mistakes);
      const server = new NodeServer(parts.kernel, { log: parts.log, unread }, settings, options.tls);
      await parts.start();
      const bound = await server.listen(port, host);
      if (closed) {
        await server.close();
        await parts.start(); // rejects, because the application was stopped while the port was being opened
      }
      servers.add(server);
      if (options.signals !== false) forgetSignals.push(stopOnSignals(parts.stop, parts.log));
      const name = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
      const url = `${options.tls === undefined ? "http" : "https"}://${name}:${bound.port}`;
      parts.log.info(`listening on ${url}`);
      return { url, host: bound.address, port: bound.port };
    } catch (error) {
      await parts.stop();
      return parts.failStart(toListenError(error, port, host));
    }
  }

  async function fetch(request: Request): Promise<Response> {
    try {
      if (!closed) await parts.start();
    } catch (error) {
      if (!closed) throw error; // else the stop came while this request waited for the start
    }
    if (closed) return Response.json({ error: "Service Unavailable" }, { status: 503 });
    const response = handleFetch(parts, request, settings);
    inFlight.add(response);
    return response.finally(() => inFlight.delete(response));
  }

  async function close(): Promise<void> {
    closed = true;
    for (const forget of forgetSignals.splice(0)) forget();
    await Promise.all([...servers].map((server) => server.close()));
    await Promise.race([Promise.allSettled(inFlight), deadline(inFlight.size === 0 ? 0 : settings.limits.stopTimeout)]);
  }

  return { methods: { listen, fetch }, close };
}

function deadline(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
