/** As OpenTelemetry declares it. Its package is optional, and this type is public: an import would not compile without it. */
export interface Context {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): Context;
  deleteValue(key: symbol): Context;
}

/** Has no value, as ROOT_CONTEXT of OpenTelemetry, whose contexts copy a Map and create three functions each. */
export const emptyContext: Context = {
  getValue: () => undefined,
  setValue: (key, value) => new LightContext(key, value, emptyContext),
  deleteValue: () => emptyContext,
};

/** One value, and those of the context before. Most contexts have one alone, the span. */
class LightContext implements Context {
  readonly #key: symbol;
  readonly #value: unknown;
  readonly #rest: Context;

  constructor(key: symbol, value: unknown, rest: Context) {
    this.#key = key;
    this.#value = value;
    this.#rest = rest;
  }

  getValue(key: symbol): unknown {
    return key === this.#key ? this.#value : this.#rest.getValue(key);
  }

  /** The earlier value of the key is dropped: a chain of nested contexts would grow without an end. */
  setValue(key: symbol, value: unknown): Context {
    return new LightContext(key, value, this.deleteValue(key));
  }

  deleteValue(key: symbol): Context {
    if (key === this.#key) return this.#rest;
    const rest = this.#rest.deleteValue(key);
    return rest === this.#rest ? this : new LightContext(this.#key, this.#value, rest);
  }
}
