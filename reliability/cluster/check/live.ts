import { Findings, groupBy, type Line, type Lines, type Verdict } from "./lines.ts";

/** CL5: a subscriber gets every acknowledged event once and in order, or is told by a reset that it missed some. */
export function checkLive(lines: Lines): Verdict {
  const published = lines.ok("publish");
  const subscribers = [...groupBy(lines.ok("subscribe", "event", "reset"), "subscriber")];
  const resumed = subscribers.filter(([, all]) => new Set(all.map(({ values }) => values.connection)).size > 1);
  return new Findings()
    .atLeast("events acknowledged", published.length, 30)
    .atLeast("subscribers", subscribers.length, 2)
    .atLeast("subscribers that resumed", resumed.length, 1)
    .atLeast("events received", lines.ok("event").length, 60)
    .show("resets", lines.ok("reset").length)
    .none(
      "missing",
      subscribers.flatMap(([name, all]) => findMissing(name, all, published)),
    )
    .none(
      "repeated",
      subscribers.flatMap(([name, all]) => findRepeated(name, all)),
    )
    .none(
      "out of order",
      subscribers.flatMap(([name, all]) => findDisorder(name, all, published)),
    )
    .done();
}

const isEvent = ({ op }: Line) => op === "event";
const toName = ({ values }: Line) => `${values.lane}:${values.number}`;

/**
 * The events of a lane are published one after the other. So one that is missing is excused by a reset that comes after
 * the last earlier event of its lane and before the first later one.
 */
function findMissing(name: string, all: readonly Line[], published: readonly Line[]): string[] {
  const begun = all.find(({ op }) => op === "subscribe")?.ended ?? Number.POSITIVE_INFINITY;
  const received = new Set(all.filter(isEvent).map(toName));
  const due = published.filter((line) => line.invoked > begun && !received.has(toName(line)));
  return due.filter((line) => !isExcused(line, all)).map((line) => `${toName(line)} at ${name}`);
}

function isExcused({ values: { lane, number } }: Line, all: readonly Line[]): boolean {
  const ofLane = (line: Line) => isEvent(line) && line.values.lane === lane;
  const last = all.findLastIndex((line) => ofLane(line) && Number(line.values.number) < Number(number));
  const next = all.findIndex((line) => ofLane(line) && Number(line.values.number) > Number(number));
  return all.slice(last + 1, next === -1 ? undefined : next).some(({ op }) => op === "reset");
}

function findRepeated(name: string, all: readonly Line[]): string[] {
  const seen = new Set<string>();
  return all.filter(isEvent).flatMap((line) => {
    if (seen.has(toName(line))) return [`${toName(line)} at ${name}`];
    seen.add(toName(line));
    return [];
  });
}

/** Only of acknowledged events: one with an unknown outcome may be stored after a later one. */
function findDisorder(name: string, all: readonly Line[], published: readonly Line[]): string[] {
  const acknowledged = new Set(published.map(toName));
  const latest = new Map<string, number>();
  return all.filter(isEvent).flatMap((line) => {
    if (!acknowledged.has(toName(line))) return [];
    const [lane, number] = [String(line.values.lane), Number(line.values.number)];
    const before = latest.get(lane) ?? 0;
    latest.set(lane, Math.max(before, number));
    return number < before ? [`${toName(line)} after ${lane}:${before} at ${name}`] : [];
  });
}
