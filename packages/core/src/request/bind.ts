import { mediaTypeOf } from "@tenon/server/internal";
import { refuseType } from "../body/body-error.ts";
import { Form } from "../body/form.ts";
import { type Input, readJsonInput } from "../body/input.ts";
import type { StreamedField } from "../body/streamed-file.ts";
import { validate } from "../schema/bind.ts";
import { Dto } from "../schema/dto.ts";
import { findStreamedField } from "../schema/file.ts";
import type { InferOutput, Schema } from "../schema/standard-schema.ts";
import { BindError, type InputPart, type Issue } from "../support/errors.ts";
import { whenReady } from "../support/when-ready.ts";
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
      const bound = keep(parts, issues, name, () => bindInput(state, contract[name] as Schema, readPart(state, name))); // see `names`
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

function readBody(state: ContextState, body: Body, streamed: StreamedField | undefined): unknown {
  const isCommand = state.incoming.isCommand === true;
  const read = () => readKnownBody(state, body, isCommand ? undefined : streamed);
  if (body.required || isCommand) return read();
  return whenReady<Uint8Array, unknown>(state.request.readBody(), ({ byteLength }) =>
    byteLength === 0 ? undefined : read(),
  );
}

function readKnownBody(
  state: ContextState,
  { kind, schema, types }: Body,
  streamed: StreamedField | undefined,
): unknown {
  const { incoming, request } = state;
  if (schema === undefined) {
    const type = incoming.header("content-type") ?? "";
    const isKnown = incoming.isCommand === true || types.some((known) => mediaTypeOf(known) === mediaTypeOf(type));
    return isKnown ? request.body() : refuseType(type);
  }
  if (streamed === undefined) return bindInput(state, schema, kind === "form" ? readForm(state) : undefined);
  const input = request.streamForm(streamed).then((value) => ({ value, fromText: true, fromForm: true }));
  return bindInput(state, schema, input);
}

/** The input, by default the body, as the schema makes it. Throws at once where the body has arrived. */
export function bindInput<S extends Schema>(
  state: ContextState,
  schema: S,
  input = readInput(state),
): InferOutput<S> | Promise<InferOutput<S>> {
  return whenReady(input, (ready) => validate(schema, ready));
}

function readInput({ incoming, request, tools }: ContextState): Input | Promise<Input> {
  return tools.readers.readInput?.(incoming, request) ?? readJsonInput(incoming, request, tools.limits);
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
