import { isIdName } from "./places.ts";

/** An id in a JSON value. */
export interface FoundId {
  /** As `jq` takes it: `.items[0].id`. */
  readonly path: string;
  readonly name: string;
  readonly value: string | number;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The ids of a JSON value, the outer ones first. */
export function findIds(value: unknown): FoundId[] {
  const found: FoundId[] = [];
  let level: readonly (readonly [path: string, node: object])[] = isObject(value) ? [["", value]] : [];
  while (level.length > 0) {
    const next: [string, object][] = [];
    for (const [path, node] of level) {
      for (const [key, one] of Object.entries(node)) {
        const at = Array.isArray(node) ? `${path || "."}[${key}]` : `${path}.${key}`;
        if (isObject(one)) next.push([at, one]);
        else if (isId(key, one)) found.push({ path: at, name: key, value: one as string | number }); // checked by isId
      }
    }
    level = next;
  }
  return found;
}

function isId(name: string, value: unknown): boolean {
  if (typeof value === "string") return uuid.test(value) || (isIdName(name) && value !== "");
  return typeof value === "number" && isIdName(name);
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The first object inside a value that has this id, in the field where its creation has shown it. */
export function findNode(value: unknown, id: string, idPath = ".id"): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(value)) return undefined;
  const record = value as Readonly<Record<string, unknown>>; // an object, or a list by its indexes
  const name = /\.(\w+)$/.exec(idPath)?.[1] ?? "id";
  if (!Array.isArray(value) && name in record && String(record[name]) === id) return record;
  for (const one of Object.values(record)) {
    const found = findNode(one, id, idPath);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An id of the same form that does not exist. */
export function toUnknown(value: string | number, random: () => number): string | number {
  if (typeof value === "number") return 1_000_000_000 + Math.floor(random() * 1_000_000_000);
  if (/^\d{1,15}$/.test(value)) return String(toUnknown(Number(value), random));
  const isHex = /^[0-9a-f-]+$/i.test(value);
  const digits = isHex ? "0123456789abcdef" : "abcdefghijklmnopqrstuvwxyz0123456789";
  const start = uuid.test(value) ? 24 : (/^.*[:/]/.exec(value)?.[0].length ?? 0); // keeps the version, or the kind of a topic
  const tail = value.slice(start).replaceAll(/[A-Za-z0-9]/g, () => digits[Math.floor(random() * digits.length)] ?? "0");
  return value.slice(0, start) + tail;
}

const volatile = [
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi,
  /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g,
  /[0-9a-f]{16,}/gi,
];

/** A text without what differs between two requests: ids that were sent, other ids, times. */
export function normalise(text: string, sent: readonly (string | number)[]): string {
  const ids = sent
    .map(String)
    .filter((id) => id.length > 0)
    .toSorted((a, b) => b.length - a.length);
  // as a whole word: a short id is a part of other numbers
  const plain = ids.reduce(
    (all, id) => all.replaceAll(new RegExp(`(?<!\\w)${RegExp.escape(id)}(?!\\w)`, "g"), "ID"),
    text,
  );
  return volatile.reduce((all, pattern) => all.replaceAll(pattern, "ID"), plain);
}
