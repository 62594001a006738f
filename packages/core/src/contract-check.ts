import { mediaTypeOf } from "./body/grammar.ts";
import { JsonArray } from "./body/json-array.ts";
import type { Context } from "./context.ts";
import {
  Content,
  type Contract,
  impliedErrors,
  isSchema,
  type MiddlewareContract,
  returnsByStatus,
} from "./contract.ts";
import { findMismatches } from "./dto/check.ts";
import { Dto } from "./dto/dto.ts";
import { Field } from "./dto/field.ts";
import { ReturnedMismatch } from "./dto/select.ts";
import type { Schema } from "./dto/standard-schema.ts";
import { BindError, HttpError, type Issue } from "./errors.ts";
import type { Handler } from "./record.ts";
import { isResponse, type Reply, toReply } from "./reply.ts";

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
  rejectedStatus = 400,
): Handler {
  const { contract } = declared;
  if (contract?.returns === undefined && contract?.errors === undefined) return run;
  const check = new ContractCheck(declared, contract, report, rejectedStatus);
  return async (ctx) => {
    try {
      const value = await run(ctx);
      check.compare(ctx, toReply(value));
      return value;
    } catch (error) {
      check.compareError(ctx, error);
      throw error;
    }
  };
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
  readonly #rejectedStatus: number;

  constructor(
    { method, path, guards }: DeclaredRoute,
    contract: Contract,
    report: (ctx: Context, mismatch: ContractMismatch) => void,
    rejectedStatus: number,
  ) {
    this.#route = [method, path].filter(Boolean).join(" ");
    this.#contract = contract;
    this.#statuses = toStatuses(contract, guards, rejectedStatus);
    this.#report = report;
    this.#rejectedStatus = rejectedStatus;
  }

  compare(ctx: Context, reply: Reply): void {
    const { kind, value } = reply;
    const response = kind === "raw" && isResponse(value as object) ? (value as Response) : undefined; // raw values are objects
    const status = response?.status ?? reply.status;
    if (this.#contract.returns === undefined && status < 400) return;
    const declared = this.#find(ctx, status);
    if (declared === undefined) return;
    const type = response?.headers.get("content-type") ?? ctx.response().header("content-type");
    if (declared.types.length > 0) this.#compareType(ctx, status, declared, type);
    if (value instanceof JsonArray) value.watch((row) => this.#compareBody(ctx, status, declared, [row]));
    else if (kind === "json" && status >= 400 && isErrorBody(value))
      this.#compareMessage(ctx, status, declared, value.error);
    else if (kind === "json") this.#compareBody(ctx, status, declared, value);
  }

  compareError(ctx: Context, error: unknown): void {
    if (error instanceof ReturnedMismatch) this.#reportBody(ctx, 200, error.issues);
    if (!(error instanceof HttpError)) return;
    const status = error instanceof BindError ? this.#rejectedStatus : error.status;
    const declared = this.#find(ctx, status);
    if (declared === undefined) return;
    if (error.body === undefined) this.#compareMessage(ctx, status, declared, error.message);
    else this.#compareBody(ctx, status, declared, error.body);
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

  #compareType(ctx: Context, status: number, { types }: Declared, type: string): void {
    if (type === "" || types.some((known) => mediaTypeOf(known) === mediaTypeOf(type))) return;
    this.#send(ctx, status, `${this.#route} declares ${types.join(", ")} for ${status}, not ${type}`);
  }

  /** Schemas of other libraries have validated the value when it was selected. */
  #compareBody(ctx: Context, status: number, { schemas }: Declared, value: unknown): void {
    const own = schemas.filter((schema) => schema instanceof Dto || schema instanceof Field);
    if (own.length === 0 || own.length < schemas.length) return;
    const found = own.map((schema) => findMismatches(schema, value));
    if (!found.some((issues) => issues.length === 0)) this.#reportBody(ctx, status, found[0] ?? []);
  }

  #reportBody(ctx: Context, status: number, issues: readonly Issue[]): void {
    const lines = issues.map(({ path, message }) => `\n  ${path === "" ? "(body)" : path}: ${message}`);
    const message = `${this.#route} returned a body that its contract does not declare for ${status}:${lines.join("")}`;
    this.#send(ctx, status, message, issues);
  }

  #send(ctx: Context, status: number, message: string, issues: readonly Issue[] = []): void {
    this.#report(ctx, { route: this.#route, status, message, issues });
  }
}

/** Every status that a client may see. */
function toStatuses(
  contract: Contract,
  guards: readonly MiddlewareContract[],
  rejectedStatus: number,
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
    else if (declared instanceof Content) types.push(...declared.types);
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
  // no client causes it by what it sends, so documents leave it out
  if (contract.body !== undefined) entryOf("408").messages.push("Request Timeout");
  return statuses;
}

function isErrorBody(value: unknown): value is { readonly error: string } {
  if (typeof value !== "object" || value === null || !("error" in value) || typeof value.error !== "string")
    return false;
  return Object.keys(value).every((key) => key === "error" || key === "status");
}
