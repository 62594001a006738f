import { Findings, type Line, type Lines, type Verdict } from "./lines.ts";

/** Milliseconds: ticks that are later than this are missed, and one job is enqueued for all of them. */
const grace = 60_000;

/** CL4: a job exists and runs if and only if its transaction was committed; a schedule adds one job for each tick. */
export function checkJobs(lines: Lines): Verdict {
  const items = new Map(lines.ok("item").map(({ values }) => [values.item, values.job]));
  const runs = lines.ok("run");
  const ran = new Set(runs.map(({ values }) => values.job));
  const jobs = lines.ok("job");
  const work = runs.filter(({ values }) => values.item !== "tick");
  const ticks = lines.ok("schedule").toSorted((one, other) => one.ended - other.ended);
  const [first, last] = [ticks[0], ticks.at(-1)];
  return new Findings()
    .atLeast("committed", lines.ok("enqueue").length, 20)
    .atLeast("rolled back", lines.ok("roll back").length, 5)
    .atLeast("runs", work.length, 20)
    .atLeast("readings of the schedule", ticks.length, 3)
    .atLeast("ticks", first === undefined || last === undefined ? 0 : toTick(last) - toTick(first), 10)
    .show("runs again", runs.length - ran.size)
    .none(
      "committed rows lost",
      lines.ok("enqueue").flatMap(({ values: { item, job } }) => {
        if (!items.has(item ?? "")) return [String(item)];
        return items.get(item ?? "") === job ? [] : [`${item} has another job than was acknowledged`];
      }),
    )
    .none(
      "jobs of committed rows that never ran",
      [...items].filter(([, job]) => !ran.has(job ?? "")).map(([item, job]) => `${job} of ${item}`),
    )
    .none(
      "jobs that never ran",
      jobs.filter(({ values }) => !ran.has(values.job ?? "")).map(({ values }) => `${values.name} ${values.job}`),
    )
    .none(
      "rolled back rows that are there",
      lines.ok("roll back").flatMap(({ values }) => (items.has(values.item ?? "") ? [String(values.item)] : [])),
    )
    .none(
      "runs without a committed row",
      work.filter(({ values }) => !items.has(values.item ?? "")).map(({ values }) => `${values.job} of ${values.item}`),
    )
    .none(
      "ticks doubled or missing",
      ticks.slice(1).flatMap((line, index) => judgeTicks(ticks[index], line)),
    )
    .done();
}

/** Between two readings there is one job for each tick; fewer only when ticks were missed. */
function judgeTicks(before: Line | undefined, after: Line): string[] {
  if (before === undefined) return [];
  const due = toTick(after) - toTick(before);
  const added = Number(after.values.jobs) - Number(before.values.jobs);
  const mayMiss = Number(after.values.last) - Number(before.values.last) > grace;
  if (added > due) return [`${added} jobs for ${due} ticks until ${after.values.last}`];
  return added < due && !mayMiss ? [`only ${added} jobs for ${due} ticks until ${after.values.last}`] : [];
}

function toTick({ values }: Line): number {
  return Math.floor(Number(values.last) / Number(values.period));
}
