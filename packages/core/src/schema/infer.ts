/** Null where the tags say "nullable", else nothing. */
export type NullOf<Tags extends readonly string[]> = "nullable" extends Tags[number] ? null : never;

/** Whether a bound object always has a field: true where it is required, "default" where a default fills it in. */
export type Presence = boolean | "default";
export type IsPresent<Tags extends readonly string[]> = "required" extends Tags[number]
  ? true
  : [Extract<Tags[number], `default=${string}`>] extends [never]
    ? false
    : "default";

type OneOf<Tags extends readonly string[]> = Extract<Tags[number], `oneof=${string}`>;
type WordsOf<List extends string> = string extends List
  ? string
  : List extends `${infer Word} ${infer Rest}`
    ? WordsOf<Word> | WordsOf<Rest>
    : List extends ""
      ? never
      : List;

/** The words of "oneof=" as a union, else any string. */
export type TextOf<Tags extends readonly string[]> = [OneOf<Tags>] extends [never]
  ? string
  : OneOf<Tags> extends `oneof=${infer List}`
    ? WordsOf<List>
    : string;
