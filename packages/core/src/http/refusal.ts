import { STATUS_CODES } from "./builtin.ts";

/** A request that never becomes a context. The connection closes after it. */
export interface Refusal {
  readonly status: number;
  readonly reason: string;
}

export function toErrorBody(status: number): string {
  return JSON.stringify({ error: STATUS_CODES[status] });
}
