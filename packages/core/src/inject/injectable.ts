/** A property with undefined where it is optional. */
export type OrUndefined<T, K extends keyof T> = Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K];

/** Options, each of which may be a function that makes the value and may `inject()`. `Plain` are those that may not. */
export type Injectable<T, Plain extends keyof T = never> = {
  readonly [K in keyof T]: K extends Plain ? T[K] : T[K] | (() => OrUndefined<T, K>);
};

/**
 * The values of options, without the `imports` of a module. Call it where `inject()` works: in a factory of a module, or
 * in `resolve()` of a platform. An option whose function returns undefined is left out, so that its default applies.
 */
export function resolveOptions<T extends object, Plain extends keyof T & string = never>(
  options: Injectable<T, Plain>,
  plain: readonly Plain[] = [],
): T {
  const entries = Object.entries<unknown>(options).flatMap(([name, option]) => {
    if (name === "imports") return [];
    // a function with parameters is a value, such as a middleware that is not in a list
    if (typeof option !== "function" || option.length > 0 || plain.some((one) => one === name)) return [[name, option]];
    const value: unknown = option();
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}
