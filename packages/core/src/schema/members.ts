import type { Field, Select } from "./field.ts";

/** The fields of a DTO on their way out: copies what is declared. */
export class Members {
  readonly #names: readonly string[];
  readonly #selects: readonly Select[];
  readonly #nullables: readonly boolean[];
  readonly #scalars: readonly boolean[];

  constructor(entries: readonly (readonly [string, Field])[]) {
    this.#names = entries.map(([name]) => name);
    this.#selects = entries.map(([, field]) => field.compileSelect());
    this.#nullables = entries.map(([, field]) => field.keepsNull);
    this.#scalars = entries.map(([, field]) => field.isScalar);
  }

  /** The declared fields of an object: the object itself when it has no others. */
  select(value: object): object {
    return this.#areAll(value) ? value : this.fill({}, value);
  }

  /**
   * Whether a plain object has declared fields only, in their order, so that it can be sent as it is. An engine keeps
   * the keys of objects that are alike in one list: this takes 4 µs for 50 objects with six fields, copying them 30.
   */
  #areAll(value: object): boolean {
    if (Object.getPrototypeOf(value) !== Object.prototype) return false; // it may have getters, or a toJSON
    const names = this.#names;
    let index = 0;
    for (const name in value) {
      if (name !== names[index]) {
        index = names.indexOf(name, index);
        if (index < 0) return false;
      }
      const given = (value as Record<string, unknown>)[name];
      const isText = typeof given === "string" || typeof given === "number" || typeof given === "boolean";
      if ((!isText || this.#scalars[index] !== true) && !this.#isKept(index, given)) return false;
      index++;
    }
    return true;
  }

  #isKept(index: number, given: unknown): boolean {
    if (given === undefined) return false;
    return given === null ? this.#nullables[index] === true : this.#selects[index]?.(given) === given;
  }

  /** Copies the declared fields of an object onto another one. */
  fill(target: Record<string, unknown>, value: object): Record<string, unknown> {
    for (let index = 0; index < this.#names.length; index++) {
      const name = this.#names[index] as string; // the lists have the same length
      const given = (value as Record<string, unknown>)[name];
      if (given === undefined) continue;
      if (given === null) {
        if (this.#nullables[index] === true) target[name] = null;
        continue;
      }
      const chosen = this.#selects[index]?.(given);
      if (chosen !== undefined) target[name] = chosen;
    }
    return target;
  }
}
