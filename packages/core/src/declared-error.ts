import { isSchema } from "./contract.ts";
import { compileSelect } from "./dto/select.ts";
import type { Schema } from "./dto/standard-schema.ts";
import { HttpError } from "./errors.ts";
import type { MatchedRoute } from "./matched-route.ts";

/** The error response that the contract of a route declares for a status: what `ctx.fail()` returns. */
export function toDeclaredError(route: MatchedRoute | undefined, status: number, detail: unknown): HttpError {
  const declared = route?.contract?.errors?.[status];
  if (declared === undefined) {
    throw new TypeError(
      `ctx.fail(${status}): ${describeRoute(route)} declares no error ${status}. Add it to \`errors\`.`,
    );
  }
  if (isSchema(declared)) return new HttpError(status, `Error ${status}`, { body: selectDeclared(declared, detail) });
  const messages = [declared].flat();
  const message = detail ?? (messages.length === 1 ? messages[0] : undefined);
  if (typeof message === "string" && messages.includes(message)) return new HttpError(status, message);
  throw new TypeError(
    `ctx.fail(${status}): ${describeRoute(route)} declares the messages ${messages.map((text) => JSON.stringify(text)).join(", ")}. Pass one of them.`,
  );
}

/** As for a result: undeclared fields never leave. */
function selectDeclared(schema: Schema, detail: unknown): unknown {
  const selected = compileSelect(schema)(detail);
  return selected instanceof Promise ? detail : selected; // a library that validates asynchronously
}

function describeRoute(route: MatchedRoute | undefined): string {
  return route === undefined ? "this request" : [route.method, route.path].filter(Boolean).join(" ");
}
