import { type ErrorFormat, plainErrors, toMessageSchema } from "../error-format.ts";
import { BindError, describeValue, HttpError, type Issue } from "../errors.ts";
import { refuseOption } from "../options.ts";

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

/** The same with `issues` for rejected input. */
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

/** A preset with another status for rejected input, or as the start of a format of your own. */
export function errorFormat(
  name: ErrorFormatName,
  { rejectedStatus }: Pick<ErrorFormat, "rejectedStatus"> = {},
): ErrorFormat {
  const format = toErrorFormat(name, "errorFormat()", rejectedStatus);
  return rejectedStatus === undefined ? format : { ...format, rejectedStatus };
}

/** A preset by its name, or a format of the application's own. `taker` names the option's owner in a message. */
export function toErrorFormat(
  format: ErrorFormatName | ErrorFormat | undefined,
  taker: string,
  rejectedStatus = 400,
): ErrorFormat {
  if (format === undefined) return plainErrors;
  if (typeof format === "string" && Object.hasOwn(formats, format)) return formats[format](rejectedStatus);
  if (isFormat(format)) return checkStatus(format, taker);
  const names = Object.keys(formats).map((name) => JSON.stringify(name));
  return refuseOption(
    `errors of ${taker} is ${describeValue(format)}. Use ${names.join(", ")}, or { type, toBody, toSchema }.`,
  );
}

function checkStatus(format: ErrorFormat, taker: string): ErrorFormat {
  const { rejectedStatus: status = 400 } = format;
  if (Number.isInteger(status) && status >= 400 && status <= 499) return format;
  return refuseOption(`rejectedStatus of ${taker} is ${describeValue(status)}. It takes a status from 400 to 499.`);
}

/** An error of the HTTP server itself. */
export function toStatusError(status: number): HttpError {
  return new HttpError(status, reasonOf(status));
}

/** `Not Found` for 404. */
export function reasonOf(status: number): string {
  // not by ./builtin.ts, which loads node:http: api() and web() import this file, and commands may import them
  return process.getBuiltinModule("node:http").STATUS_CODES[status] ?? "Error";
}

function issuesOf(error: HttpError): { readonly issues?: readonly Omit<Issue, "keys">[] } {
  if (!(error instanceof BindError)) return {};
  return { issues: error.issues.map(({ keys: _, ...issue }) => issue) };
}

function isFormat(value: unknown): value is ErrorFormat {
  if (typeof value !== "object" || value === null) return false;
  const { type, toBody, toSchema } = value as Partial<ErrorFormat>; // each is checked here
  return typeof type === "string" && typeof toBody === "function" && typeof toSchema === "function";
}
