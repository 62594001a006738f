import { BindError, type HttpError } from "./errors.ts";

/** How an application writes its error responses, those of the HTTP server included. */
export interface ErrorFormat {
  /** The content type of the body. */
  readonly type: string;
  /** The status of rejected input, from 400 to 499. Defaults to 400. */
  readonly rejectedStatus?: number;
  /** The body, which is sent as JSON. */
  toBody(error: HttpError): unknown;
  /**
   * The JSON Schema of a body with this status and one of these messages, for the OpenAPI document. It becomes a component,
   * which is named after its `title`, else after the message or the status. Equal ones with one title share it.
   */
  toSchema(status: number, messages: readonly string[]): Readonly<Record<string, unknown>>;
}

export function toMessageSchema(messages: readonly string[]): Readonly<Record<string, unknown>> {
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

/** Rejected input with the status that the format gives it; any other value as it is. */
export function withRejectedStatus(error: unknown, { rejectedStatus }: ErrorFormat): unknown {
  if (rejectedStatus === undefined || !(error instanceof BindError) || error.status === rejectedStatus) return error;
  const { issues, headers, body, cause, stack } = error;
  const copy = new BindError(issues, { headers, body, cause, status: rejectedStatus });
  return Object.assign(copy, { stack }); // where it was thrown, for the developer page
}
