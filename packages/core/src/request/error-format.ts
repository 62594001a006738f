import { toJson } from "../body/json.ts";
import { BindError, HttpError, type Issue } from "../support/errors.ts";

/** How an application writes its error responses, those of the HTTP server included. */
export interface ErrorFormat {
  /** The content type of the body. */
  readonly type: string;
  /** The status of rejected input, from 400 to 499. Defaults to 400. */
  readonly rejectedStatus?: number;
  /** The status of a body that is not JSON. Defaults to `rejectedStatus`. */
  readonly malformedStatus?: number;
  /** The body, which is sent as JSON. */
  toBody(error: HttpError): unknown;
  /**
   * The JSON Schema of a body with this status and one of these messages, for the OpenAPI document. It becomes a component,
   * which is named after its `title`, else after the message or the status. Equal ones with one title share it.
   */
  toSchema(status: number, messages: readonly string[]): Readonly<Record<string, unknown>>;
}

function toMessageSchema(messages: readonly string[]): Readonly<Record<string, unknown>> {
  return messages.length === 0 ? { type: "string" } : { type: "string", enum: [...new Set(messages)] };
}

/** `{ error }`. */
export const plainErrors: ErrorFormat = {
  type: "application/json; charset=utf-8",
  toBody: ({ message }) => ({ error: message }),
  toSchema: (_status, messages) => ({
    type: "object",
    properties: { error: toMessageSchema(messages) },
    required: ["error"],
  }),
};

/** The body and content type of an error. */
export function formatError(error: HttpError, format: ErrorFormat): { readonly body: unknown; readonly type: string } {
  if (error.body !== undefined) return { body: error.body, type: plainErrors.type };
  return { body: format.toBody(error), type: format.type };
}

/** The response to what the server refuses. A format that throws there would crash the process. */
export function formatRefusal(status: number, format: ErrorFormat): { readonly type: string; readonly body: string } {
  const error = new HttpError(status, reasonOf(status));
  try {
    return { type: format.type, body: toJson(format.toBody(error)) };
  } catch {
    return { type: plainErrors.type, body: toJson(plainErrors.toBody(error)) };
  }
}

/** Rejected input with the status that the format gives it; any other value as it is. */
export function withRejectedStatus(error: unknown, { rejectedStatus, malformedStatus }: ErrorFormat): unknown {
  if (!(error instanceof BindError)) return error;
  const isMalformed = error.issues.some(({ path, rule }) => path === "" && rule === "json");
  const status = (isMalformed ? malformedStatus : undefined) ?? rejectedStatus;
  if (status === undefined || error.status === status) return error;
  const { issues, headers, body, cause, stack } = error;
  const copy = new BindError(issues, { headers, body, cause, status });
  return Object.assign(copy, { stack }); // where it was thrown, for the developer page
}

/** The formats that come with the framework. */
export type ErrorFormatName = "plain" | "issues" | "problem";

const text = { type: "string" } as const;

const issueSchema = {
  title: "Issue",
  type: "object",
  properties: {
    in: { type: "string", enum: ["params", "query", "headers", "body"] },
    path: { ...text, description: "Where in the input, such as `tags.0`; empty for the input as a whole." },
    rule: text,
    message: text,
  },
  required: ["path", "rule", "message"],
};

const issueList = { issues: { type: "array", items: issueSchema } };

/** `{ error }`, with `issues` for rejected input. */
const withIssues = (rejectedStatus: number): ErrorFormat => ({
  type: plainErrors.type,
  toBody: (error) => ({ error: error.message, ...issuesOf(error) }),
  toSchema: (status, messages) => ({
    type: "object",
    properties: { error: toMessageSchema(messages), ...(status === rejectedStatus ? issueList : {}) },
    required: ["error"],
  }),
});

/** RFC 9457. */
const problem = (rejectedStatus: number): ErrorFormat => ({
  type: "application/problem+json",
  toBody: (error) => ({
    type: "about:blank",
    title: reasonOf(error.status),
    status: error.status,
    detail: error.message,
    ...issuesOf(error),
  }),
  toSchema: (status, messages) => ({
    type: "object",
    properties: {
      type: text,
      title: text,
      status: { type: "integer", const: status },
      detail: toMessageSchema(messages),
      ...(status === rejectedStatus ? issueList : {}),
    },
    required: ["type", "title", "status", "detail"],
  }),
});

const formats: Readonly<Record<ErrorFormatName, (rejectedStatus: number) => ErrorFormat>> = {
  plain: () => plainErrors,
  issues: withIssues,
  problem,
};

/** Makes a preset with another status for rejected input. Also a base for a format of your own. */
export function errorFormat(
  name: ErrorFormatName,
  options: Pick<ErrorFormat, "rejectedStatus" | "malformedStatus"> = {},
): ErrorFormat {
  return { ...formats[name](options.rejectedStatus ?? 400), ...options };
}

/** A preset by its name, or a format of the application's own. */
export function toErrorFormat(format: ErrorFormatName | ErrorFormat = "plain"): ErrorFormat {
  return typeof format === "string" ? formats[format](400) : format;
}

/** `Not Found` for 404. */
export function reasonOf(status: number): string {
  // not by an import: api() and web() import this file, and commands, which load no HTTP code, may import them
  return process.getBuiltinModule("node:http").STATUS_CODES[status] ?? "Error";
}

function issuesOf(error: HttpError): { readonly issues?: readonly Omit<Issue, "keys">[] } {
  if (!(error instanceof BindError)) return {};
  return { issues: error.issues.map(({ keys: _, ...issue }) => issue) };
}
