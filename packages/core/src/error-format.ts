import type { HttpError } from "./errors.ts";

/** How an application writes its error responses, those of the HTTP server included. */
export interface ErrorFormat {
  /** The content type of the body. */
  readonly type: string;
  /** The body, which is sent as JSON. */
  toBody(error: HttpError): unknown;
  /** The JSON Schema of a body with this status and one of these messages, for the OpenAPI document. */
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
