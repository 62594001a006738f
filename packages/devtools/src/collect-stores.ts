import { describeStores } from "@tenon/core/internal";

interface StoreFacts {
  readonly place?: string;
  readonly guarantee?: string;
}

/** What the instances of an application tell about their stores, by the names of these. */
export function collectStores(instances: Iterable<unknown>, fact: keyof StoreFacts): Readonly<Record<string, string>> {
  const stores = [...instances].flatMap((instance) => {
    const { [describeStores]: describe } = Object(instance) as { [describeStores]?(): Record<string, StoreFacts> }; // only stores have it
    return Object.entries(describe?.call(instance) ?? {});
  });
  return Object.fromEntries(stores.flatMap(([name, { [fact]: text }]) => (text === undefined ? [] : [[name, text]])));
}
