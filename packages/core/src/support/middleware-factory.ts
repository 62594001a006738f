const makesMiddleware = Symbol("tenon.makes-middleware");

/** Marks a function that makes a middleware, such as `accessLog`: listed without its call, it stops the start. */
export function markFactory(factory: object): void {
  Object.defineProperty(factory, makesMiddleware, { value: true });
}

export function isFactory(value: object): boolean {
  return makesMiddleware in value;
}
