import { toAccessText } from "./access-text.ts";
import { toErrorText } from "./logged-error.ts";

type LogFields = Readonly<Record<string, unknown>>;

/** Columns of a line of the access log, and of its time and level. */
const columns = 100;
const startColumns = 19;

/** A line of the log as a developer reads it: the source of an error instead of its whole stack, an access line in 100 columns. */
export function toReadableLine(line: LogFields): LogFields {
  const { level, time, err, ...content } = line;
  const access = content.name === undefined ? toAccessText(content, columns - startColumns) : undefined;
  const text = toErrorText(err);
  return {
    ...(access === undefined ? line : { level, time, msg: access.message, ...access.fields }),
    ...(text === undefined ? {} : { err: text }),
  };
}
