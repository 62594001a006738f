import { type Context, ROOT_CONTEXT } from "@opentelemetry/api";

/** A context with one value, as most have: that of OpenTelemetry copies a Map and creates three functions for each. */
class SingleContext implements Context {
  readonly #key: symbol;
  readonly #value: unknown;

  constructor(key: symbol, value: unknown) {
    this.#key = key;
    this.#value = value;
  }

  getValue(key: symbol): unknown {
    return key === this.#key ? this.#value : undefined;
  }

  setValue(key: symbol, value: unknown): Context {
    if (key === this.#key) return new SingleContext(key, value);
    return ROOT_CONTEXT.setValue(this.#key, this.#value).setValue(key, value);
  }

  deleteValue(key: symbol): Context {
    return key === this.#key ? emptyContext : this;
  }
}

/** Has no value, as ROOT_CONTEXT; what is set in it costs less. */
export const emptyContext: Context = {
  getValue: () => undefined,
  setValue: (key, value) => new SingleContext(key, value),
  deleteValue: () => emptyContext,
};
