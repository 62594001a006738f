import { refuseType } from "../body/body-reader.ts";
import { Form } from "../body/form.ts";
import { mediaTypeOf } from "../body/grammar.ts";
import { type Input, readJsonInput } from "../body/input.ts";
import type { StreamedField } from "../body/streamed-file.ts";
import { validate } from "../schema/bind.ts";
import { Dto } from "../schema/dto.ts";
import { findStreamedField } from "../schema/file.ts";
import type { InferOutput, Schema } from "../schema/standard-schema.ts";
import { BindError, type InputPart, type Issue } from "../support/errors.ts";
import type { ContextState } from "./context-state.ts";
import { type Body, type Contract, toBody } from "./contract.ts";

/** The declared parts of a request, parsed. */
export type BoundParts = { [Part in InputPart]?: unknown };

/**
 * The one way in, at the end of the chain: after the guards. Parts that need no waiting are bound without a promise. The
 * body is read last, and only where nothing else was wrong.
 */
export function compileInput(contract: Contract): (state: ContextState) => BoundParts | Promise<BoundParts> {
  const names = (["params", "query", "headers"] as const).filter((name) => contract[name] !== undefined);
  const body = toBody(contract.body);
  const streamed = streamedFieldOf(contract);
  return (state) => {
    const parts: BoundParts = {};
    const issues: Issue[] = [];
    let waiting: Promise<unknown> | undefined;
    for (const name of names) {
      const bound = keep(parts, issues, name, () => bindPart(state, name, contract[name] as Schema)); // see `names`
      if (bound === undefined) continue;
      waiting = Promise.all([waiting, bound]);
      waiting.catch(() => {}); // a later part may throw at once
    }
    const bindBody = () => {
      if (body === undefined || issues.length > 0) return complete(parts, issues);
      const bound = keep(parts, issues, "body", () => readBody(state, body, streamed));
      return bound === undefined ? complete(parts, issues) : bound.then(() => complete(parts, issues));
    };
    return waiting === undefined ? bindBody() : waiting.then(bindBody);
  };
}

/** Keeps the value of a part, or what is wrong with it. */
function keep(parts: BoundParts, issues: Issue[], part: InputPart, read: () => unknown): Promise<void> | undefined {
  const keepValue = (value: unknown): void => {
    parts[part] = value;
  };
  const keepIssues = (error: unknown): void => {
    if (!(error instanceof BindError)) throw error;
    for (const issue of error.issues) issues.push({ in: part, ...issue });
  };
  try {
    const value = read();
    if (value instanceof Promise) return value.then(keepValue, keepIssues);
    keepValue(value);
  } catch (error) {
    keepIssues(error);
  }
  return undefined;
}

function complete(parts: BoundParts, issues: readonly Issue[]): BoundParts {
  if (issues.length > 0) throw new BindError(issues);
  return parts;
}

function bindPart(state: ContextState, part: "params" | "query" | "headers", schema: Schema): unknown {
  const input = readPart(state, part);
  return input instanceof Promise ? input.then((ready) => validate(schema, ready)) : validate(schema, input);
}

function readPart(state: ContextState, part: "params" | "query" | "headers"): Input | Promise<Input> {
  const { incoming, params, tools } = state;
  if (part === "params") return { value: params.toMap(), fromText: true };
  if (part === "headers") return { value: incoming.headers(), fromText: true };
  const { readQuery } = tools.readers;
  return (
    readQuery?.(incoming, state.request) ?? {
      value: new Form(state.queries).toRecord(),
      fromText: true,
      fromForm: true,
    }
  );
}

async function readBody(state: ContextState, body: Body, streamed: StreamedField | undefined): Promise<unknown> {
  const { kind, schema, required, types } = body;
  const { incoming, request } = state;
  const isCommand = incoming.isCommand === true;
  if (!required && !isCommand && (await request.body()).byteLength === 0) return undefined;
  if (schema === undefined) {
    const type = incoming.header("content-type") ?? "";
    const isKnown = isCommand || types.some((known) => mediaTypeOf(known) === mediaTypeOf(type));
    return isKnown ? request.body() : refuseType(type);
  }
  if (streamed !== undefined && !isCommand) {
    return validate(schema, { value: await request.streamForm(streamed), fromText: true, fromForm: true });
  }
  return kind === "form" ? validate(schema, await readForm(state)) : bindInput(state, schema);
}

/** What `ctx.bind()` returns. */
export async function bindInput<S extends Schema>(state: ContextState, schema: S): Promise<InferOutput<S>> {
  const { incoming, request, tools } = state;
  const input = tools.readers.readInput?.(incoming, request) ?? readJsonInput(incoming, request, tools.limits);
  return validate(schema, await input);
}

async function readForm({ incoming, request, tools }: ContextState): Promise<Input> {
  const { readForm } = tools.readers;
  return readForm?.(incoming, request) ?? { value: (await request.form()).toInput(), fromText: true, fromForm: true };
}

/** The file that a form streams. */
export function streamedFieldOf({ body }: Contract): StreamedField | undefined {
  const { kind, schema } = toBody(body) ?? {};
  return kind === "form" && schema instanceof Dto ? findStreamedField(schema.fields) : undefined;
}
