import { Readable, Writable } from "node:stream";
import { type App, type AppOptions, createApp } from "../app.ts";
import { readEnvironment } from "../boot/environment.ts";
import type { Module } from "../boot/module.ts";
import type { CliMethods } from "../cli/cli-methods.ts";
import type { ContractMismatch } from "../contract-check.ts";
import { describeValue } from "../errors.ts";
import type { HttpMethods } from "../http/http-methods.ts";
import { checkNames, explainUnknownNames, namesOf } from "../options.ts";
import type { Platform } from "../platform.ts";
import { type Method, methods } from "../record.ts";

export interface TestAppOptions extends Pick<AppOptions, "override" | "log" | "stopTimeout"> {
  /** Whether background work, such as jobs, runs. Defaults to false: a test runs it when it wants to. */
  readonly background?: boolean;
  /** Whether a response that its contract does not declare fails the test. Defaults to true. */
  readonly checkContracts?: boolean;
}

export interface TestRequestOptions {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as a browser sends a form without files; a list repeats a field. */
  readonly form?: Readonly<Record<string, string | readonly string[]>> | URLSearchParams;
  /** Sent as it is. */
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream | FormData;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
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

export interface TestHttpApp extends App, HttpMethods {
  /** Calls the application without a port. */
  request(method: Method, path: string, options?: TestRequestOptions): Promise<Response>;
}

export interface TestCliApp extends App, Omit<CliMethods, "run"> {
  /** Runs one command without a process. */
  run(argv: readonly string[], options?: TestRunOptions): Promise<TestRunResult>;
}

const optionNames = namesOf<TestAppOptions>({
  override: true,
  log: true,
  stopTimeout: true,
  checkContracts: true,
  background: true,
});
const requestNames = namesOf<TestRequestOptions>({ json: true, form: true, body: true, headers: true, signal: true });

/** A started application for a test: no port, no log unless LOG_LEVEL is set; mistakes reject with a StartError. */
export function createTestApp(
  module: Module,
  platform: Platform<CliMethods>,
  options?: TestAppOptions,
): Promise<TestCliApp>;
export function createTestApp(
  module: Module,
  platform: Platform<HttpMethods>,
  options?: TestAppOptions,
): Promise<TestHttpApp>;
export async function createTestApp(
  module: Module,
  platform: Platform<CliMethods | HttpMethods>,
  options: TestAppOptions = {},
): Promise<TestCliApp | TestHttpApp> {
  checkNames("createTestApp()", options, optionNames);
  const mismatches: ContractMismatch[] = [];
  const app = await createApp(module, platform, {
    log: { level: readEnvironment().logLevel ?? "silent" },
    background: false,
    ...options,
    checkContracts: options.checkContracts !== false && ((mismatch) => mismatches.push(mismatch)),
    onStartError: "throw",
  });
  await app.start();
  const refuseMismatches = (): void => {
    const [first] = mismatches.splice(0);
    if (first !== undefined) throw new ContractError(first);
  };
  if (!("execute" in app)) return Object.assign(app, { request: createRequest(app, refuseMismatches) });
  return Object.assign(app, { run: createRun(app, refuseMismatches) });
}

/** A response that its contract does not declare. `request()` and `run()` of a test application throw it. */
export class ContractError extends Error {
  override readonly name = "ContractError";
  readonly mismatch: ContractMismatch;

  constructor(mismatch: ContractMismatch) {
    super(mismatch.message);
    this.mismatch = mismatch;
  }
}

/** Runs one command on streams in memory. */
function createRun(app: Pick<CliMethods, "execute">, afterEach: () => void): TestCliApp["run"] {
  return async (argv, { stdin = "", signal } = {}) => {
    const stdout = new Collector();
    const stderr = new Collector();
    const code = await app.execute(argv, {
      stdin: Readable.from([Buffer.from(stdin as string)]), // or bytes: an overload of from() takes one of the two
      stdout,
      stderr,
      ...(signal === undefined ? {} : { signal }),
    });
    afterEach();
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

function createRequest(app: HttpMethods, afterEach: () => void): TestHttpApp["request"] {
  return async (method, path, options = {}) => {
    checkRequest(method, path, options);
    const { json, form, body, headers, signal } = options;
    const all = new Headers(headers);
    if (json !== undefined && !all.has("content-type")) all.set("content-type", "application/json");
    const text = json === undefined ? undefined : JSON.stringify(json);
    const sent = body instanceof FormData ? await encodeForm(body, all) : body;
    const response = await app.fetch(
      // not resolved against a base: "//posts" is a path here, not another host
      new Request(`http://localhost${path}`, {
        method,
        headers: all,
        body: text ?? (form === undefined ? undefined : toSearchParams(form)) ?? sent ?? null,
        ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
        ...(signal === undefined ? {} : { signal }),
      }),
    );
    afterEach();
    return response;
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

/** A mistake in a test would otherwise get a 404 or stay unnoticed, and the test would check the wrong thing. */
function checkRequest(method: Method, path: string, options: TestRequestOptions): void {
  const known = methods.join(", ");
  if (!methods.includes(method)) {
    throw new TypeError(`request() was given ${describeValue(method)} as its method. Use one of ${known}.`);
  }
  if (typeof path !== "string" || !path.startsWith("/")) {
    throw new TypeError(`request() was given ${describeValue(path)} as its path. It starts with "/".`);
  }
  const unknown = explainUnknownNames(options, requestNames);
  if (unknown !== undefined) throw new TypeError(`request() has no option ${unknown}`);
  const bodies = ["json", "form", "body"].filter((name) => options[name as "json"] !== undefined); // the names above
  if (bodies.length > 1) throw new TypeError(`request() was given ${bodies.join(" and ")}. A request has one body.`);
}
