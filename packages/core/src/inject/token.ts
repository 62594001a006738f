declare const type: unique symbol;

/** A name for something injectable that is not a class of one's own. */
export interface Token<T> {
  readonly name: string;
  /** Never present at run time: it carries T for inference. */
  readonly [type]?: T;
}

// biome-ignore lint/suspicious/noExplicitAny: an abstract class with any constructor can be a key
export type AbstractClass<T> = abstract new (...args: any[]) => T;
export type Class<T = unknown> = new () => T;
/** What `inject()` and `provide()` take. */
export type Key<T = unknown> = Token<T> | AbstractClass<T>;

export interface Provider<T = unknown> {
  readonly provide: Key<T>;
  readonly factory: () => T;
}

class NamedToken<T> implements Token<T> {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export function token<T>(name: string): Token<T> {
  return Object.freeze(new NamedToken<T>(name));
}

/** Declares how something is made. The factory may call `inject()`. */
export function provide<T>(key: Key<T>, factory: () => NoInfer<T>): Provider<T> {
  return Object.freeze({ provide: key, factory });
}

export function isClass(value: unknown): value is Class {
  return typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));
}

export function keyName(key: Key): string {
  return key.name || "(anonymous class)";
}
