import { Field, type Kind, type Select } from "./field.ts";
import { isDate, isWritable, parseTimestamp } from "./formats.ts";
import { report } from "./found-issue.ts";
import type { IsPresent, NullOf } from "./infer.ts";
import { scalar, scalarTags, selectScalar } from "./scalars.ts";
import { type DateTag, type PlainTag, plainTags } from "./tags.ts";

/** A day of the calendar, as text: `2026-11-17`. */
export function date<const Tags extends readonly DateTag[]>(
  ...tags: Tags
): Field<string | NullOf<Tags>, IsPresent<Tags>> {
  const schema = { type: "string", format: "date" };
  return scalar({ name: "date", grammar: scalarTags }, schema, tags, (input, issues) => {
    if (typeof input !== "string" || !isDate(input)) report(issues, "date", "must be a date such as 2026-11-17");
    return input as string; // not used when there is an issue
  });
}

/** A moment: `2026-11-17T09:30:00Z`, or with an offset such as `+01:00`. A handler returns a Date or such a text. */
export function timestamp<const Tags extends readonly PlainTag[]>(
  ...tags: Tags
): Field<Date | NullOf<Tags>, IsPresent<Tags>, Date | string | NullOf<Tags>> {
  const kind: Kind<Date | NullOf<Tags>> = {
    name: "timestamp",
    grammar: plainTags,
    read: (input, issues, { returned }) => {
      if (returned === true && input instanceof Date && isWritable(input)) return input;
      const value = typeof input === "string" ? parseTimestamp(input) : undefined;
      if (value === undefined) report(issues, "timestamp", "must be a timestamp such as 2026-11-17T09:30:00Z");
      return value as Date; // not used when there is an issue
    },
    compileSelect: () => selectTimestamp,
    isScalar: true,
    toSchema: () => ({ type: "string", format: "date-time" }),
  };
  return new Field<Date | NullOf<Tags>, IsPresent<Tags>, Date | string | NullOf<Tags>>(kind, tags);
}

const selectTimestamp: Select = (value) =>
  value instanceof Date ? (isWritable(value) ? value : undefined) : selectScalar(value);
