export function hasMethod<K extends string>(instance: unknown, name: K): instance is Record<K, () => unknown> {
  return (
    typeof instance === "object" && instance !== null && typeof (instance as Record<K, unknown>)[name] === "function"
  );
}
