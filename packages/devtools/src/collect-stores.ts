import type { describeGuarantees, describeStores } from "@tenon/core/internal";

/** What the instances of an application tell about their stores. */
export function collectStores(
  instances: Iterable<unknown>,
  key: typeof describeStores | typeof describeGuarantees,
): Readonly<Record<string, string>> {
  const stores = [...instances].map((instance) => {
    const { [key]: describe } = Object(instance) as { [key]?: () => Record<string, string> }; // only stores have it
    return describe?.call(instance) ?? {};
  });
  return Object.assign({}, ...stores);
}
