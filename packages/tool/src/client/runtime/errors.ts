import type { AnyResult } from "./operation.ts";

/** Thrown by `orThrow` for a declared status outside 200 to 299. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;

  constructor(operation: string, { status, body, headers }: AnyResult) {
    super(`${operation} failed with status ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** The document does not declare the status of the response. */
export class UndeclaredStatus extends Error {
  override readonly name = "UndeclaredStatus";
  readonly status: number;
  readonly text: string;

  constructor(operation: string, status: number, text: string) {
    super(`${operation}: the status ${status} is not declared`);
    this.status = status;
    this.text = text;
  }
}

/** The status is declared, but its body has another content type, or is not JSON. */
export class UndeclaredBody extends Error {
  override readonly name = "UndeclaredBody";
  readonly status: number;
  readonly contentType: string;
  readonly text: string;

  constructor(operation: string, status: number, contentType: string, text: string) {
    super(`${operation}: the body of status ${status} (${contentType || "no content type"}) is not as declared`);
    this.status = status;
    this.contentType = contentType;
    this.text = text;
  }
}
