import { refuseType } from "./body/body-reader.ts";
import { mediaTypeOf } from "./body/grammar.ts";
import { toQueryRecord } from "./body/query.ts";
import type { Input } from "./dto/bind.ts";
import type { RouteParams } from "./matched-route.ts";
import type { Incoming, RequestView } from "./request.ts";

/** What the `params` of a contract validate. */
export function toParamsInput(params: RouteParams): Input {
  return { value: params.toMap(), fromText: true };
}

/** What the `headers` of a contract validate. */
export function toHeadersInput(incoming: Incoming): Input {
  return { value: incoming.headers(), fromText: true };
}

/** What the `query` of a contract validates, where the platform reads none of its own. */
export function toQueryInput(pairs: readonly (readonly [name: string, value: string])[]): Input {
  return { value: toQueryRecord(pairs), fromText: true, fromForm: true };
}

/** The bytes of a body of these media types. A command has no media type. */
export function readContent(
  { method }: Incoming,
  request: RequestView,
  type: string,
  types: readonly string[],
): Promise<Uint8Array> {
  const isKnown = method === "" || types.some((known) => mediaTypeOf(known) === mediaTypeOf(type));
  return isKnown ? request.body() : refuseType(type);
}

/** Whether the request has an empty body. A command has flags. */
export async function hasNoBody({ method }: Incoming, request: RequestView): Promise<boolean> {
  return method !== "" && (await request.body()).byteLength === 0;
}
