import type { Seen } from "./step.ts";

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const most = 60; // values of a response

/** The texts and numbers in a JSON value by their paths as `jq` takes them, the outer ones first; without times. */
export function findValues(value: unknown): Map<string, string | number> {
  const found = new Map<string, string | number>();
  let level: readonly (readonly [path: string, node: object])[] = isObject(value) ? [["", value]] : [];
  while (level.length > 0 && found.size < most) {
    const next: [string, object][] = [];
    for (const [path, node] of level) {
      for (const [key, one] of Object.entries(node)) {
        const at = Array.isArray(node) ? `${path || "."}[${key}]` : `${path}.${key}`;
        if (isObject(one)) next.push([at, one]);
        else if (isValue(one)) found.set(at, one);
      }
    }
    level = next;
  }
  return found;
}

function isValue(value: unknown): value is string | number {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0;
  return typeof value === "string" && value !== "" && value.length <= 200 && !/^\d{4}-\d\d-\d\d(?:T|$)/.test(value);
}

/** The name of the field that a path leads to. */
export function fieldOf(path: string): string {
  return /\w+(?=\W*$)/.exec(path)?.[0] ?? "";
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

/** A number is not far from others, so that a limit allows it. */
export function toUnknown(value: string | number, random: () => number): string | number {
  if (typeof value === "number") return value + 5000 + Math.floor(random() * 100_000);
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

type Ids = readonly (string | number)[];

/** A text without what differs between two requests: ids that were sent, other ids, times. */
export function normalise(text: string, sent: Ids): string {
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

/** Whether two responses differ in more than the ids of their requests. */
export function differ(one: Seen, ones: Ids, other: Seen, others: Ids): boolean {
  if (one.status !== other.status) return true;
  return one.text !== other.text && normalise(one.text, ones) !== normalise(other.text, others);
}
