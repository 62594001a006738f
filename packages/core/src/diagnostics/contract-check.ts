import { AsyncLocalStorage } from "node:async_hooks";
import { isDeepStrictEqual } from "node:util";
import { mediaTypeOf } from "../body/grammar.ts";
import { isJson, toJson } from "../body/json.ts";
import { JsonArray } from "../body/json-array.ts";
import type { Context } from "../context.ts";
import {
  type Contract,
  impliedErrors,
  isContent,
  isSchema,
  type MiddlewareContract,
  returnsByStatus,
} from "../contract.ts";
import { findMismatches } from "../dto/check.ts";
import { Dto } from "../dto/dto.ts";
import { Field } from "../dto/field.ts";
import { findSchemaIssues } from "../dto/schema-issues.ts";
import { atRow, ReturnedMismatch } from "../dto/select.ts";
import type { Schema } from "../dto/standard-schema.ts";
import { readChanged, selectReplaced } from "../endpoint.ts";
import { type ErrorFormat, plainErrors, withRejectedStatus } from "../error-format.ts";
import { HttpError, type Issue } from "../errors.ts";
import { isResponse, notData, type Outgoing, type Reply, statusOf, toReply } from "../reply.ts";
import type { Handler } from "../route.ts";

/** A response that its contract does not declare. */
export interface ContractMismatch {
  /** `GET /posts/:id`, or a command. */
  readonly route: string;
  readonly status: number;
  readonly message: string;
  /** What differs from the schema of this status. */
  readonly issues: readonly Issue[];
}

export interface DeclaredRoute {
  readonly method: string | undefined;
  readonly path: string;
  readonly contract: Contract | undefined;
  readonly guards: readonly MiddlewareContract[];
}

/**
 * Compares every response of a route with its contract, guards included. For development and tests: in production the
 * declared fields are selected, and nothing is compared.
 */
export function checkContract(
  declared: DeclaredRoute,
  run: Handler,
  report: (ctx: Context, mismatch: ContractMismatch) => void,
  format: ErrorFormat = plainErrors,
): Handler {
  const { contract } = declared;
  if (contract?.returns === undefined && contract?.errors === undefined) return run;
  const check = new ContractCheck(declared, contract, report, format);
  return async (ctx) => {
    let sent: Sent | undefined;
    ctx.onReply((outgoing) => {
      check.compareChanged(ctx, outgoing, sent); // the first one runs last
      check.compareHeaders(ctx, outgoing);
    });
    try {
      const value = await run(ctx);
      check.compare(ctx, toReply(value));
      ctx.onReply(({ body, type }) => {
        sent = { body, type }; // the last one runs first
      });
      return value;
    } catch (error) {
      check.compareError(ctx, error);
      throw error;
    }
  };
}

/** A response before hooks change it. */
type Sent = Pick<Outgoing, "body" | "type">;

function undeclaredBy(author: string): Issue {
  return { path: "", rule: "data", message: `has undeclared fields, which ${author} has added and which are not sent` };
}

function atTop(issue: Issue): Issue {
  return issue;
}

/** A value as a client reads it. */
function toSent(value: unknown): unknown {
  return JSON.parse(toJson(value));
}

/** What is declared for one status. */
interface Declared {
  readonly schemas: Schema[];
  readonly messages: string[];
  readonly types: string[];
}

class ContractCheck {
  readonly #route: string;
  readonly #contract: Contract;
  readonly #statuses: ReadonlyMap<number, Declared>;
  readonly #report: (ctx: Context, mismatch: ContractMismatch) => void;
  readonly #format: ErrorFormat;

  constructor(
    { method, path, guards }: DeclaredRoute,
    contract: Contract,
    report: (ctx: Context, mismatch: ContractMismatch) => void,
    format: ErrorFormat,
  ) {
    this.#route = [method, path].filter(Boolean).join(" ");
    this.#contract = contract;
    this.#statuses = toStatuses(contract, guards, format.rejectedStatus);
    this.#report = report;
    this.#format = format;
  }

  compare(ctx: Context, reply: Reply): void {
    const { kind, value, returned } = reply;
    const status = statusOf(reply);
    if (this.#contract.returns === undefined && status < 400) return;
    const declared = this.#find(ctx, status);
    if (declared === undefined) return;
    const response = kind === "raw" && isResponse(value as object) ? (value as Response) : undefined; // raw values are objects
    const type = response?.headers.get("content-type") ?? ctx.response().header("content-type");
    this.#compareType(ctx, status, declared, type);
    if (value instanceof JsonArray) {
      const compareRow = (row: unknown, index: number) => this.#compareRow(ctx, status, declared, row, index);
      value.watch(AsyncLocalStorage.bind(compareRow)); // as a part of this request: rows are read when the client reads
    } else if (kind === "json" && status >= 400 && isErrorBody(value)) {
      this.#compareError(ctx, status, declared, new HttpError(status, value.error));
    } else if (kind === "json" || returned !== value) {
      if (!this.#compareBody(ctx, status, declared, returned)) return;
      const sent = selectReplaced(this.#contract, reply);
      if (sent === reply || isDeepStrictEqual(toSent(sent.value), toSent(value))) return;
      this.#reportBody(ctx, status, [undeclaredBy("a middleware")]);
    } else if (kind !== "empty" && declared.schemas.length > 0 && declared.types.length === 0) {
      this.#reportBody(ctx, status, [{ path: "", rule: "data", message: notData(reply) }]);
    }
  }

  /** Hooks of `onReply()` may replace the body after all else has been compared. */
  compareChanged(ctx: Context, outgoing: Outgoing, sent: Sent | undefined): void {
    if (sent === undefined || outgoing.body === sent.body || !isJson(sent.type)) return;
    try {
      const changed = readChanged(this.#contract, outgoing);
      if (changed === undefined) return;
      const { schema, value, selected } = changed;
      const found = schema instanceof Dto || schema instanceof Field ? findMismatches(schema, value) : [];
      const isWhole = isDeepStrictEqual(toSent(selected), value);
      const issues = found.length > 0 || isWhole ? found : [undeclaredBy("a hook of onReply()")];
      if (issues.length > 0) this.#reportBody(ctx, outgoing.status, issues);
    } catch (error) {
      this.compareError(ctx, error); // it is not JSON: the kernel fails too
    }
  }

  compareHeaders(ctx: Context, { status, headers }: Outgoing): void {
    if (status >= 400) return;
    for (const [name, declared] of Object.entries(this.#contract.responds?.headers ?? {})) {
      if (typeof declared === "string" || !declared.required || headers.has(name)) continue;
      this.#send(ctx, status, `${this.#route} declares the header ${name}, which its response does not have`);
    }
  }

  compareError(ctx: Context, error: unknown): void {
    if (error instanceof ReturnedMismatch) this.#reportBody(ctx, error.status, error.issues);
    if (!(error instanceof HttpError)) return;
    const sent = withRejectedStatus(error, this.#format) as HttpError; // the same, or a copy
    const declared = this.#find(ctx, sent.status);
    if (declared === undefined) return;
    if (sent.body === undefined) this.#compareError(ctx, sent.status, declared, sent);
    else this.#compareBody(ctx, sent.status, declared, sent.body);
  }

  #compareError(ctx: Context, status: number, declared: Declared, error: HttpError): void {
    this.#compareMessage(ctx, status, declared, error.message);
    if (!declared.messages.includes(error.message)) return;
    const body: unknown = JSON.parse(JSON.stringify(this.#format.toBody(error)));
    const issues = findSchemaIssues(this.#format.toSchema(status, declared.messages), body);
    if (issues.length === 0) return;
    const what = `the error format does not describe the body of ${status} as it is: toBody() and toSchema() differ`;
    this.#send(ctx, status, `${this.#route}: ${what}${toLines(issues)}`, issues);
  }

  #find(ctx: Context, status: number): Declared | undefined {
    const declared = this.#statuses.get(status);
    if (declared !== undefined || status >= 500) return declared; // a failure is logged as such
    const known = [...this.#statuses.keys()].sort().join(", ");
    this.#send(ctx, status, `${this.#route} does not declare the status ${status}, only ${known}`);
    return undefined;
  }

  #compareMessage(ctx: Context, status: number, { messages, schemas }: Declared, message: string): void {
    if (messages.includes(message) || (messages.length === 0 && schemas.length === 0)) return;
    if (messages.length === 0) {
      this.#compareBody(ctx, status, { messages, schemas, types: [] }, { error: message });
      return;
    }
    const known = messages.map((text) => JSON.stringify(text)).join(", ");
    this.#send(
      ctx,
      status,
      `${this.#route} declares ${known} for ${status}, not the message ${JSON.stringify(message)}`,
    );
  }

  #compareType(ctx: Context, status: number, { types, schemas }: Declared, type: string): void {
    const known = schemas.length > 0 ? [...types, "application/json"] : types;
    if (type === "" || known.length === 0 || known.some((one) => mediaTypeOf(one) === mediaTypeOf(type))) return;
    this.#send(ctx, status, `${this.#route} declares ${known.join(", ")} for ${status}, not ${type}`);
  }

  #compareRow(ctx: Context, status: number, declared: Declared, row: unknown, index: number): void {
    this.#compareBody(ctx, status, declared, [row], (issue) => atRow(issue, index));
  }

  /** Whether the body is as declared. Schemas of other libraries have validated the value when it was selected. */
  #compareBody(ctx: Context, status: number, { schemas }: Declared, value: unknown, place = atTop): boolean {
    const own = schemas.filter((schema) => schema instanceof Dto || schema instanceof Field);
    if (own.length === 0 || own.length < schemas.length) return true;
    const found = own.map((schema) => findMismatches(schema, value));
    if (found.some((issues) => issues.length === 0)) return true;
    const [first = []] = found;
    this.#reportBody(ctx, status, first.map(place));
    return false;
  }

  #reportBody(ctx: Context, status: number, issues: readonly Issue[]): void {
    const message = `${this.#route} returned a body that its contract does not declare for ${status}`;
    this.#send(ctx, status, `${message}${toLines(issues)}`, issues);
  }

  #send(ctx: Context, status: number, message: string, issues: readonly Issue[] = []): void {
    this.#report(ctx, { route: this.#route, status, message, issues });
  }
}

/** The end of a message: each issue on a line of its own. */
function toLines(issues: readonly Issue[]): string {
  return `:${issues.map(({ path, message }) => `\n  ${path === "" ? "(body)" : path}: ${message}`).join("")}`;
}

/** Every status that a client may see. */
function toStatuses(
  contract: Contract,
  guards: readonly MiddlewareContract[],
  rejectedStatus: number | undefined,
): Map<number, Declared> {
  const statuses = new Map<number, Declared>();
  const entryOf = (status: string): Declared => {
    const entry = statuses.get(Number(status)) ?? { schemas: [], messages: [], types: [] };
    statuses.set(Number(status), entry);
    return entry;
  };
  for (const [status, declared] of Object.entries(returnsByStatus(contract.returns))) {
    const { schemas, types } = entryOf(status);
    if (isSchema(declared)) schemas.push(declared);
    else if (isContent(declared)) types.push(...[declared.content].flat());
  }
  for (const errors of [
    impliedErrors(contract, rejectedStatus),
    contract.errors,
    ...guards.map((guard) => guard.errors),
  ]) {
    for (const [status, declared] of Object.entries(errors ?? {})) {
      const { schemas, messages } = entryOf(status);
      if (isSchema(declared)) schemas.push(declared);
      else messages.push(...[declared].flat());
    }
  }
  // no client causes them by what it sends, so documents leave them out
  if (contract.body !== undefined) {
    entryOf("408").messages.push("Request Timeout");
    entryOf("503").messages.push("Service Unavailable");
  }
  return statuses;
}

function isErrorBody(value: unknown): value is { readonly error: string } {
  if (typeof value !== "object" || value === null || !("error" in value) || typeof value.error !== "string")
    return false;
  return Object.keys(value).every((key) => key === "error" || key === "status");
}
