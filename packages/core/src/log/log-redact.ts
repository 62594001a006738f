import { BoundedMap } from "../support/bounded-map.ts";

/** Names of secrets, in lower case and without punctuation. A tokenizer, a cookie banner and a session's name are not secrets. */
const secret =
  /authorization|passw(?:or)?d|passphrase|passcode|pwd|secret|credential|csrf|apikey|privatekey|jwt|cvv|signature|token(?!iz)|(?:recovery|backup|verification|onetime)code|(?:cookies?|sessionids?|tenondev\d*)$/;
/** Words of names of secrets. As a part of a name they would match shipping, footprint and inside. A QR code may hold the secret of a second factor. */
const secretWord = /^(?:t?otp|pin|sid|qr)\d*$/;

/** Whether a field of this name may hold a secret: the log redacts it. */
export function isSecretName(name: string): boolean {
  return (
    secret.test(name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")) || wordsOf(name).some((word) => secretWord.test(word))
  );
}

/**
 * Whether a client may send a secret under this name, in a query, a form or a JSON body. There `code` is that of a second
 * factor or of an authorization server; elsewhere it is mostly the code of an error, which a log line needs.
 */
export function isSecretInput(name: string): boolean {
  return name.toLowerCase() === "code" || isSecretName(name);
}

/** `userPin`, `user_pin` and `USER-PIN` have the same words. */
function wordsOf(name: string): string[] {
  const spaced = name.replaceAll(/([a-z0-9])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$2 ");
  return spaced.toLowerCase().split(/[^a-z0-9]+/);
}

export const redacted = "[redacted]";
const cut = "[cut]";
const maxDepth = 8;
const maxValues = 2000;

/** Copies the fields of a log line and replaces the values of secret ones, at any depth. */
export class Redactor {
  /** The same names are logged again and again. The number is bounded, because a name may come from a client. */
  readonly #names = new BoundedMap<string, boolean>(1000);
  readonly #isSecret: (name: string) => boolean;

  /** Whether the `development` fields of an error are kept. */
  readonly isDevelopment: boolean;

  /** `isSecret` defaults to the names that the log redacts. */
  constructor(isSecret: (name: string) => boolean = isSecretName, isDevelopment = true) {
    this.#isSecret = isSecret;
    this.isDevelopment = isDevelopment;
  }

  /** Never throws: a getter that does would fail the request that is logged. */
  redact(fields: object): Record<string, unknown> {
    try {
      return new Walk(this).fields(fields);
    } catch {
      return { unreadable: true };
    }
  }

  isSecret(name: string): boolean {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const isSecret = this.#isSecret(name);
    this.#names.set(name, isSecret);
    return isSecret;
  }
}

/** One walk over one logged value, bounded in depth and in size. */
class Walk {
  readonly #redactor: Redactor;
  readonly #path: object[] = [];
  #left = maxValues;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  fields(source: object): Record<string, unknown> {
    this.#path.push(source);
    return this.#entries(source);
  }

  #entries(source: object): Record<string, unknown> {
    const clean: Record<string, unknown> = Object.create(null); // a field may be called __proto__
    for (const name of Object.keys(source)) {
      if (this.#left-- <= 0) {
        clean["…"] = cut;
        break;
      }
      clean[name] = this.#redactor.isSecret(name) ? redacted : this.#read(source, name);
    }
    return clean;
  }

  #read(source: object, name: string): unknown {
    const depth = this.#path.length;
    try {
      return this.#value((source as Record<string, unknown>)[name]); // one of its own keys
    } catch {
      this.#path.length = depth;
      return "[unreadable]";
    }
  }

  #value(value: unknown): unknown {
    if (typeof value !== "object" || value === null || value instanceof Date) return value;
    if (this.#path.includes(value)) return "[circular]";
    if (this.#path.length >= maxDepth || this.#left <= 0) return cut;
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    this.#path.push(value);
    const copy = this.#copy(value);
    this.#path.pop();
    return copy;
  }

  #copy(value: object): unknown {
    if (Array.isArray(value)) return this.#list(value);
    if (value instanceof Error) return this.#error(value);
    return "toJSON" in value && typeof value.toJSON === "function" ? this.#value(value.toJSON()) : this.#entries(value);
  }

  #list(list: readonly unknown[]): unknown[] {
    const clean: unknown[] = [];
    for (const [index, item] of list.entries()) {
      if (this.#left-- <= 0) {
        clean.push(cut);
        break;
      }
      // raw headers: a name, then its value
      const before = index === 0 ? undefined : list[index - 1];
      const isSecret = typeof item === "string" && typeof before === "string" && this.#redactor.isSecret(before);
      clean.push(isSecret ? redacted : this.#value(item));
    }
    return clean;
  }

  /** What JSON leaves out of an error, then its own fields. */
  #error(error: Error): Record<string, unknown> {
    const { message, stack, cause, development } = error as Error & { readonly development?: unknown };
    const errors: unknown = error instanceof AggregateError ? error.errors : undefined;
    return {
      type: error.constructor?.name ?? error.name,
      message,
      stack,
      ...(development !== undefined && this.#redactor.isDevelopment ? { development: this.#value(development) } : {}),
      ...(cause === undefined ? {} : { cause: this.#value(cause) }),
      ...(errors === undefined ? {} : { errors: this.#value(errors) }),
      ...this.#entries(error),
    };
  }
}
