import { isJson } from "../body/input.ts";
import { toJson } from "../body/json.ts";
import { JsonArray } from "../body/json-array.ts";
import { atRow, compileSelect, InvalidResult } from "../schema/select.ts";
import type { DeclaredError } from "../support/errors.ts";
import type { Context } from "./context.ts";
import { type ContentBody, type Contract, isContent, isSchema, returnsByStatus } from "./contract.ts";
import type { ContractCheck } from "./contract-check.ts";
import { hopByHopHeaders } from "./raw.ts";
import { isResponse, Reply, statusOf } from "./reply.ts";

type Select = (value: unknown) => unknown;

/** What leaves with the responses of a route: declared fields only, also of what a middleware returned. Compiled once for each route. */
export class DeclaredFields {
  /** Undefined in production. */
  readonly check: ContractCheck | undefined;
  readonly #declared = new Map<number, Select | ContentBody | null>();

  constructor({ returns, errors }: Contract, check?: ContractCheck) {
    this.check = check;
    for (const [status, declared] of Object.entries({ ...returnsByStatus(returns), ...errors })) {
      if (isSchema(declared)) this.#declared.set(Number(status), compileSelect(declared));
      else if (isContent(declared) || declared === null) this.#declared.set(Number(status), declared);
    }
  }

  select(ctx: Context, reply: Reply): Reply | Promise<Reply> {
    const { kind, value } = reply;
    const status = statusOf(reply);
    // the error of a guard is its own: what the endpoint declares for this status says nothing about it
    const declared = status < 400 || reply.isDeclared ? this.#declared.get(status) : undefined;
    if (typeof declared === "function" && kind === "raw" && isResponse(value as object)) {
      return this.#selectResponse(ctx, declared, reply, value as Response); // raw values are objects
    }
    this.check?.compare(ctx, reply, value);
    if (declared === undefined || kind === "empty") return reply;
    if (declared === null) return new Reply(status, "empty", undefined);
    if (typeof declared === "object") return toContentReply(ctx, reply, declared);
    if (kind === "json") {
      const selected = declared(value);
      return selected instanceof Promise ? selected.then((ready) => reply.withValue(ready)) : reply.withValue(selected);
    }
    if (!(value instanceof JsonArray)) throw refuseBody(reply);
    value.select((row, index) => selectRow(declared, row, index));
    return reply;
  }

  /** Sets the body of an error that `ctx.fail()` has thrown. Resolves with it, or with the reason why it has none. */
  async selectError(error: DeclaredError): Promise<unknown> {
    const select = this.#declared.get(error.status) as Select; // fail() has found the schema
    try {
      error.body = await select(error.detail);
      return error;
    } catch (error) {
      return error;
    }
  }

  /** The declared fields of a `Response` with JSON. Others are refused: none can be taken from a text or a stream. */
  async #selectResponse(ctx: Context, select: Select, reply: Reply, response: Response): Promise<Reply> {
    const type = response.headers.get("content-type") ?? "";
    const data: unknown = type !== "" && isJson(type) ? await response.json().catch(() => undefined) : undefined;
    if (data === undefined) throw refuseBody(reply);
    this.check?.compare(ctx, reply, data);
    const { status, headers } = response;
    const kept = new Headers([...headers].filter(([name]) => !hopByHopHeaders.has(name)));
    return reply.withValue(new Response(toJson(await select(data)), { status, headers: kept }));
  }
}

/** Why a declared schema has no fields to take from a reply that is not data. */
function notData({ kind, value }: Reply): string {
  if (kind === "text") return "must be data, not a text that is sent as it is";
  return isResponse(value as object) ? "must be data or a Response with JSON" : "must be data, not bytes or a stream"; // as above
}

function refuseBody(reply: Reply): InvalidResult {
  return new InvalidResult([{ path: "", rule: "data", message: notData(reply) }], statusOf(reply));
}

function selectRow(select: Select, row: unknown, index: number): unknown {
  try {
    const selected = select([row]);
    return selected instanceof Promise ? selected.catch((error) => failRow(error, index)).then(rowOf) : rowOf(selected);
  } catch (error) {
    return failRow(error, index);
  }
}

function rowOf(list: unknown): unknown {
  return (list as unknown[])[0]; // lists give lists
}

function failRow(error: unknown, index: number): never {
  if (!(error instanceof InvalidResult)) throw error;
  throw new InvalidResult(error.issues.map((issue) => atRow(issue, index)));
}

/** Sets the declared type. Where several are declared, the handler sets one; the first is the default. */
function toContentReply(ctx: Context, reply: Reply, { content }: ContentBody): Reply {
  const [type = ""] = [content].flat();
  const isText = typeof reply.value === "string";
  const charset = isText && type.startsWith("text/") && !type.includes(";") ? "; charset=utf-8" : "";
  if (ctx.response().header("content-type") === "") ctx.response().setHeader("content-type", `${type}${charset}`);
  return isText ? new Reply(reply.status, "text", reply.value) : reply;
}
