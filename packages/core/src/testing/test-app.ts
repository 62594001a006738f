import { AsyncLocalStorage } from "node:async_hooks";
import { Readable, Writable } from "node:stream";
import { type App, type AppOptions, appOptionTable, createApp } from "../app/app.ts";
import type { Platform } from "../app/platform.ts";
import type { CliApp } from "../cli/cli-app.ts";
import { ignoreEnvFile, readEnvironment } from "../config/environment.ts";
import type { HttpApp } from "../http/http-app.ts";
import type { Module } from "../inject/module.ts";
import type { UndeclaredResponse } from "../request/contract-check.ts";
import type { Method } from "../request/handler.ts";
import { Clock } from "../support/clock.ts";
import { checkOptions } from "../support/options.ts";
import { ErrorPrinter } from "./error-printer.ts";
import { TestClient, type TestClientOptions, type TestRequestOptions } from "./test-client.ts";

export interface TestAppOptions<Config = unknown>
  extends Pick<AppOptions<Config>, "config" | "override" | "log" | "stopTimeout"> {
  /** Whether background work, such as jobs, runs. Defaults to false: a test runs it when it wants to. */
  readonly background?: boolean;
  /** Whether a response that its contract does not declare fails the test. Defaults to true. */
  readonly checkContracts?: boolean;
}

export interface TestRunOptions {
  /** Standard input of the command. Defaults to nothing. */
  readonly stdin?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

export interface TestRunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface TestHttpApp extends App, HttpApp {
  /** Calls the application without a port. */
  request(method: Method, path: string, options?: TestRequestOptions): Promise<Response>;
  /** A client that keeps its cookies. Each call makes another one. */
  client(options?: TestClientOptions): TestClient;
}

export interface TestCliApp extends App, Omit<CliApp, "run"> {
  /** Runs one command without a process. */
  run(argv: readonly string[], options?: TestRunOptions): Promise<TestRunResult>;
}

const { onStartError: _, devtools: __, ...optionTable } = appOptionTable;

/**
 * A started application for a test, without a port. Its errors are printed to standard error, so that a test that gets a
 * 500 shows why; `log: { level: "silent" }` is for tests that expect one. Problems of the start reject with a StartError.
 */
export function createTestApp<Config>(
  module: Module<Config>,
  platform: Platform<CliApp>,
  options?: TestAppOptions<NoInfer<Config>>,
): Promise<TestCliApp>;
export function createTestApp<Config>(
  module: Module<Config>,
  platform: Platform<HttpApp>,
  options?: TestAppOptions<NoInfer<Config>>,
): Promise<TestHttpApp>;
export async function createTestApp(
  module: Module,
  platform: Platform<CliApp | HttpApp>,
  options: TestAppOptions = {},
): Promise<TestCliApp | TestHttpApp> {
  checkOptions("createTestApp()", options, optionTable);
  Error.stackTraceLimit = Math.max(Error.stackTraceLimit, 50); // as in the devtools
  ignoreEnvFile();
  const { logLevel, color } = readEnvironment();
  const running = new AsyncLocalStorage<Running>();
  const reportUndeclared = (undeclared: UndeclaredResponse): void => {
    const request = running.getStore();
    if (request?.isOver === true) throw new ContractError(undeclared); // fails the stream that the test reads
    request?.undeclared.push(undeclared);
  };
  /** Fails with the first undeclared response of this request or command, not of others that run at the same time. */
  const check = async <T>(send: () => Promise<T>): Promise<T> => {
    const request: Running = { undeclared: [], isOver: false };
    const result = await running.run(request, send);
    request.isOver = true;
    const [first] = request.undeclared;
    if (first !== undefined) throw new ContractError(first);
    return result;
  };
  const app = await createApp(module, platform, {
    log:
      logLevel === undefined ? { level: "error", destination: new ErrorPrinter(color ?? false) } : { level: logLevel },
    background: false,
    ...options,
    checkContracts: options.checkContracts !== false && reportUndeclared,
    onStartError: "throw",
    devtools: false,
  });
  await app.start();
  if (!("execute" in app)) {
    const request = createRequest(app, check);
    const clock = app.get(Clock);
    const client = (given?: TestClientOptions) => new TestClient(request, () => clock.now(), given);
    return Object.assign(app, { request, client });
  }
  return Object.assign(app, { run: createRun(app, check) });
}

/** A request or a command of a test. It is over when the test has its response, whose body may still be read. */
interface Running {
  readonly undeclared: UndeclaredResponse[];
  isOver: boolean;
}

type Check = <T>(send: () => Promise<T>) => Promise<T>;

/**
 * A response that its contract does not declare. `request()` and `run()` of a test application throw it; so does reading
 * the body, where a row of a streamed list is wrong.
 */
export class ContractError extends Error {
  override readonly name = "ContractError";
  readonly undeclared: UndeclaredResponse;

  constructor(undeclared: UndeclaredResponse) {
    super(undeclared.message);
    this.undeclared = undeclared;
  }
}

/** Runs one command on streams in memory. */
function createRun(app: Pick<CliApp, "execute">, check: Check): TestCliApp["run"] {
  return async (argv, { stdin = "", signal } = {}) => {
    const stdout = new Collector();
    const stderr = new Collector();
    const streams = {
      stdin: Readable.from([Buffer.from(stdin as string)]), // or bytes: an overload of from() takes one of the two
      stdout,
      stderr,
      ...(signal === undefined ? {} : { signal }),
    };
    const code = await check(() => app.execute(argv, streams));
    return { code, stdout: stdout.text, stderr: stderr.text };
  };
}

class Collector extends Writable {
  readonly #chunks: Uint8Array[] = [];

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }
}

function createRequest(app: HttpApp, check: Check): TestHttpApp["request"] {
  return async (method, path, options = {}) => {
    if (!path.startsWith("/")) throw new TypeError(`the path of request() begins with "/": "${path}"`); // else it would be part of the host
    const { json, form, body, headers, signal } = options;
    const all = new Headers(headers);
    if (json !== undefined && !all.has("content-type")) all.set("content-type", "application/json");
    const text = json === undefined ? undefined : JSON.stringify(json);
    const sent = body instanceof FormData ? await encodeForm(body, all) : body;
    // not resolved against a base: "//posts" is a path here, not another host
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: all,
      body: text ?? (form === undefined ? undefined : toSearchParams(form)) ?? sent ?? null,
      ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
      ...(signal === undefined ? {} : { signal }),
    });
    return check(() => app.fetch(request));
  };
}

/** A `Request` would encode the form while the server reads it, and crash the process when the server stops reading. */
async function encodeForm(form: FormData, headers: Headers): Promise<Uint8Array<ArrayBuffer>> {
  const encoded = new Response(form);
  if (!headers.has("content-type")) headers.set("content-type", encoded.headers.get("content-type") ?? "");
  return new Uint8Array(await encoded.arrayBuffer());
}

/** `Request` sets the content type of such a body. */
function toSearchParams(form: NonNullable<TestRequestOptions["form"]>): URLSearchParams {
  if (form instanceof URLSearchParams) return form;
  const pairs = Object.entries(form).flatMap(([name, value]) => [value].flat().map((item) => [name, item]));
  return new URLSearchParams(pairs);
}
