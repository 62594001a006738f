import { Dto, dto, type Fields, type ObjectOf, type ReturnedObjectOf } from "./dto.ts";
import type { Field } from "./field.ts";

type Optional<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T, boolean, infer R> ? Field<T, false, R> : never;
};
type PartialDto<F extends Fields> = Dto<ObjectOf<Optional<F>>, ReturnedObjectOf<Optional<F>>, Optional<F>>;

/** The same fields, all of them optional and without defaults, for an update: `partial(CreatePost)`. */
export function partial<F extends Fields>(whole: Dto<unknown, unknown, F>): PartialDto<F>;
/** With a name, which documents use for it: `partial("UpdatePost", CreatePost)`. */
export function partial<F extends Fields>(name: string, whole: Dto<unknown, unknown, F>): PartialDto<F>;
export function partial(...given: [whole: Dto] | [name: string, whole: Dto]): Dto {
  const [name, whole] = given.length === 1 ? [undefined, given[0]] : given;
  if (!(whole instanceof Dto)) throw new TypeError("partial() takes a DTO, and a name before it if it has one");
  const fields = Object.fromEntries(Object.entries(whole.fields).map(([key, field]) => [key, field.optional()]));
  return name === undefined ? dto(fields) : dto(name, fields);
}
