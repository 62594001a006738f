import { AsyncLocalStorage } from "node:async_hooks";
import { mediaTypeOf } from "@tenon/server/internal";
import { JsonArray } from "../body/json-array.ts";
import { Dto, findResultIssues } from "../schema/dto.ts";
import { Field } from "../schema/field.ts";
import { atRow, InvalidResult } from "../schema/select.ts";
import type { Schema } from "../schema/standard-schema.ts";
import { HttpError, type Issue } from "../support/errors.ts";
import type { Context } from "./context.ts";
import {
  type Contract,
  describeRoute,
  errorsByStatus,
  isContent,
  isSchema,
  type MiddlewareContract,
  returnsByStatus,
} from "./contract.ts";
import { type ErrorFormat, plainErrors } from "./error-format.ts";
import { isResponse, type Outgoing, type Reply, statusOf } from "./reply.ts";

/** A response that its contract does not declare. */
export interface UndeclaredResponse {
  /** `GET /posts/:id`, or a command. */
  readonly route: string;
  readonly status: number;
  readonly message: string;
  /** What differs from the schema of this status. */
  readonly issues: readonly Issue[];
}

interface DeclaredRoute {
  readonly method: string | undefined;
  readonly path: string;
  readonly middlewareContracts: readonly MiddlewareContract[];
}

/** What is declared for one status. */
interface Declared {
  readonly schemas: readonly Schema[];
  readonly messages: readonly string[];
  readonly types: readonly string[];
}

/** An error of messages only, whose body is made from one of them. */
function isText({ schemas, messages, types }: Declared): boolean {
  return messages.length > 0 && schemas.length === 0 && types.length === 0;
}

const ownBody: Issue = {
  path: "",
  rule: "data",
  message: "must be the declared message, as ctx.fail() sends it: declare a schema for a body of its own",
};

/**
 * Compares every response of a route with its contract, guards included. For development and tests: in production the
 * declared fields are selected, and nothing is compared.
 */
export class ContractCheck {
  readonly #route: string;
  readonly #contract: Contract;
  readonly #statuses: ReadonlyMap<number, Declared>;
  readonly #report: (ctx: Context, response: UndeclaredResponse) => void;

  constructor(
    { method, path, middlewareContracts }: DeclaredRoute,
    contract: Contract,
    report: (ctx: Context, response: UndeclaredResponse) => void,
    format: ErrorFormat = plainErrors,
  ) {
    this.#route = describeRoute({ method, path });
    this.#contract = contract;
    this.#statuses = toStatuses(contract, middlewareContracts, format);
    this.#report = report;
  }

  /** `data` is the value of the reply, or what is in the body of its `Response`. */
  compare(ctx: Context, reply: Reply, data: unknown): void {
    const { kind, value, error } = reply;
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
    } else if (error !== undefined) this.#compareMessage(ctx, status, declared, error);
    else if (kind === "json" || data !== value) this.#compareBody(ctx, status, declared, data);
    else if (isText(declared)) this.#reportOwnBody(ctx, status);
  }

  compareHeaders(ctx: Context, { status, headers }: Outgoing): void {
    if (status >= 400) return;
    for (const [name, declared] of Object.entries(this.#contract.responds?.headers ?? {})) {
      if (typeof declared === "string" || !declared.required || headers.has(name)) continue;
      this.#send(ctx, status, `${this.#route} declares the header ${name}, which its response does not have`);
    }
  }

  compareError(ctx: Context, error: unknown): void {
    if (error instanceof InvalidResult) this.#reportBody(ctx, error.status, error.issues);
    if (!(error instanceof HttpError)) return;
    const { status, message, body } = error;
    if (status === 408 || status === 503) return; // what a client or a store has caused by being slow or away
    const declared = this.#find(ctx, status);
    if (declared === undefined) return;
    if (body === undefined) this.#compareMessage(ctx, status, declared, message);
    else this.#compareBody(ctx, status, declared, body);
  }

  #find(ctx: Context, status: number): Declared | undefined {
    const declared = this.#statuses.get(status);
    if (declared !== undefined || status >= 500) return declared; // a 5xx is logged as such
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

  /** Schemas of other libraries validate the value when it is selected. */
  #compareBody(
    ctx: Context,
    status: number,
    declared: Declared,
    value: unknown,
    place?: (issue: Issue) => Issue,
  ): void {
    if (isText(declared)) this.#reportOwnBody(ctx, status);
    const { schemas } = declared;
    const own = schemas.filter((schema) => schema instanceof Dto || schema instanceof Field);
    if (own.length === 0 || own.length < schemas.length) return;
    const found = own.map((schema) => findResultIssues(schema, value));
    if (found.some((issues) => issues.length === 0)) return;
    const [first = []] = found;
    this.#reportBody(ctx, status, place === undefined ? first : first.map(place));
  }

  /** A page for people may say more than the message. */
  #reportOwnBody(ctx: Context, status: number): void {
    ctx.onReply(({ type }) => {
      if (mediaTypeOf(type) !== "text/html") this.#reportBody(ctx, status, [ownBody]);
    });
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
  contracts: readonly MiddlewareContract[],
  format: ErrorFormat,
): Map<number, Declared> {
  const statuses = new Map<number, Declared>();
  for (const [status, declared] of Object.entries(returnsByStatus(contract.returns))) {
    const types = isContent(declared) ? [declared.content].flat() : [];
    statuses.set(Number(status), { schemas: isSchema(declared) ? [declared] : [], messages: [], types });
  }
  for (const [status, { schemas, messages }] of errorsByStatus(contract, contracts, format)) {
    statuses.set(status, { schemas: [...schemas], messages: [...messages], types: [] });
  }
  return statuses;
}
