import { type Problem, StartError } from "../errors.ts";
import type { Door, DoorParts } from "../platform/platform.ts";
import { stopOnSignals } from "../signals.ts";
import { handleFetch } from "./fetch.ts";
import { NodeServer, type TlsSettings } from "./node.ts";
import type { HttpSettings } from "./settings.ts";

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
  const servers = new Set<NodeServer>();
  const forgetSignals: (() => void)[] = [];
  const inFlight = new Set<Promise<Response>>();
  let closed = false;

  async function listen(options: ListenOptions = {}): Promise<Address> {
    const { port = 8080, host = "127.0.0.1" } = options;
    try {
      checkListenOptions(port, host);
      const server = new NodeServer(parts.kernel, parts.log, settings, options.tls);
      await parts.start();
      const bound = await server.listen(port, host);
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
    if (closed) return Response.json({ error: "Service Unavailable" }, { status: 503 });
    await parts.start();
    const response = handleFetch(parts.kernel, request, settings);
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

function checkListenOptions(port: number, host: string): void {
  const problems: Problem[] = [];
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    problems.push({ code: "BAD_OPTION", message: `port is ${String(port)}. It takes a whole number from 0 to 65535.` });
  }
  if (typeof host !== "string" || host === "") {
    problems.push({
      code: "BAD_OPTION",
      message: 'host is empty. Use "127.0.0.1", "0.0.0.0" or a name of this machine.',
    });
  }
  if (problems.length > 0) throw new StartError(problems);
}

const listenCauses: Record<string, (port: number, host: string) => string> = {
  EADDRINUSE: (port, host) =>
    `Port ${port} on ${host} is in use. Stop the program that has it, or listen on another port.`,
  EACCES: (port) => `Port ${port} needs rights that this process does not have. Use a port above 1023.`,
  EADDRNOTAVAIL: (_, host) => `${host} is not an address of this machine. Use 127.0.0.1 or 0.0.0.0.`,
  ENOTFOUND: (_, host) => `The host name ${host} cannot be resolved. Use 127.0.0.1 or 0.0.0.0.`,
};

function toListenError(error: unknown, port: number, host: string): unknown {
  if (error instanceof StartError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const explain = Object.hasOwn(listenCauses, code) ? listenCauses[code] : undefined;
  const detail = error instanceof Error ? error.message : String(error);
  const message = explain?.(port, host) ?? `Cannot listen on ${host}:${port}: ${detail}`;
  return new StartError([{ code: "LISTEN_FAILED", message, cause: error }]);
}
