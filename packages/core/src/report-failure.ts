import type { Context } from "./context/context.ts";
import { BindError, describeValue, HttpError } from "./errors.ts";

/** What a failed request leaves in the log: whatever is not the client's doing, with its cause. */
export function reportFailure(ctx: Context, error: unknown): void {
  if (error instanceof BindError) ctx.log.debug({ issues: toIssueMap(error) }, "the body could not be bound");
  else if (!(error instanceof HttpError)) ctx.log.error(toErrorFields(error), `${ctx.method} ${ctx.path} failed`);
  else if (error.status >= 500) ctx.log.error({ err: error }, `${ctx.method} ${ctx.path} failed`);
}

/** By path: some schemas quote what they were given, and the log hides the values of fields like `password` by name. */
function toIssueMap({ issues }: BindError): Record<string, string[]> {
  const byPath = Map.groupBy(issues, (issue) => issue.path || "(body)");
  return Object.fromEntries([...byPath].map(([path, list]) => [path, list.map((i) => `${i.rule}: ${i.message}`)]));
}

/** `throw null` and `throw "x"` leave a line in the log that says so. */
function toErrorFields(error: unknown): Record<string, unknown> {
  if (error instanceof Error) return { err: error };
  return { err: new Error(`${describeValue(error)} was thrown, which is not an Error`), thrown: error };
}
