import { Findings, groupBy, isOk, type Line, type Lines, type Verdict } from "./lines.ts";

/** Milliseconds that a session may last longer than its seconds: stores round. */
const tolerance = 1000;
/** Milliseconds. A clock that is an hour ahead may end a session this early. */
const longestAhead = 3_600_000;

/** CL3: a session that was ended, or has expired, is never accepted again. */
export function checkSessions(lines: Lines): Verdict {
  const uses = groupBy(lines.of("use session"), "session");
  const ends = groupBy(lines.of("end session"), "session");
  const sessions = lines.ok("open session").map((opened) => {
    const name = String(opened.values.session);
    return toLife(name, opened, uses.get(name) ?? [], ends.get(name) ?? []);
  });
  const ended = sessions.filter(({ end }) => end !== undefined);
  const expired = sessions.filter(({ end, late }) => end === undefined && late.length > 0);
  const instances = (list: readonly Life[]) =>
    new Set(list.flatMap(({ late }) => late.filter(isAnswered)).map(({ values }) => values.instance)).size;
  return new Findings()
    .atLeast("sessions ended", ended.length, 3)
    .atLeast("instances asked after the end", instances(ended), lines.instances)
    .atLeast("sessions expired", expired.length, 3)
    .atLeast("instances asked after the expiry", instances(expired), lines.instances)
    .atLeast("uses accepted before", sessions.flatMap(({ early }) => early.filter(isOk)).length, 10)
    .none(
      "ended sessions never asked again",
      ended.filter(({ late }) => !late.some(isAnswered)).map(({ name }) => name),
    )
    .none("ended sessions accepted", ended.flatMap(describeAccepted))
    .none("expired sessions accepted", expired.flatMap(describeAccepted))
    .none("valid sessions refused", lines.isRedis ? [] : sessions.flatMap(describeRefused))
    .done();
}

interface Life {
  readonly name: string;
  /** When the end was acknowledged; undefined without one. */
  readonly end: number | undefined;
  /** Uses that ended before anything could have ended the session. */
  readonly early: readonly Line[];
  /** Uses that were requested after its acknowledged end, or its expiry. */
  readonly late: readonly Line[];
}

function toLife(name: string, opened: Line, uses: readonly Line[], ends: readonly Line[]): Life {
  const end = ends.find(isOk)?.ended;
  const expiry = opened.ended + Number(opened.values.seconds) * 1000;
  const firstEnd = Math.min(expiry - longestAhead, ...ends.map(({ invoked }) => invoked));
  const over = Math.min(end ?? Number.POSITIVE_INFINITY, expiry + tolerance);
  return {
    name,
    end,
    early: uses.filter((use) => use.ended < firstEnd || (use.outcome === "ok" && use.invoked < over)),
    late: uses.filter(({ invoked }) => invoked > over),
  };
}

const isAnswered = ({ outcome }: Line) => outcome !== "unknown";

function describeAccepted({ name, late }: Life): string[] {
  const accepted = late.filter(isOk);
  if (accepted.length === 0) return [];
  const where = [...new Set(accepted.map(({ values }) => values.instance))].join(", ");
  return [`${name} on instance ${where}, ${accepted.length} times`];
}

function describeRefused({ name, early }: Life): string[] {
  const refused = early.filter(({ outcome }) => outcome === "failed");
  return refused.length === 0 ? [] : [`${name}, ${refused.length} times`];
}
