import { Findings, groupBy, isOk, type Line, type Lines, type Verdict } from "./lines.ts";

/** CL2: of all who use a token or a key, one wins; and a limit holds across instances. */
export function checkRaces(lines: Lines): Verdict {
  const tokens = [...groupBy(lines.of("use token"), "token").values()];
  const raced = (kind: string) =>
    tokens.filter(([first, ...others]) => first?.values.kind === kind && others.length > 0);
  const keys = groupBy(
    lines.of("enqueue").filter(({ values }) => values.key !== undefined),
    "key",
  );
  const accounts = groupBy(lines.of("guess"), "account");
  return new Findings()
    .atLeast("refresh tokens raced", raced("refresh").length, 3)
    .atLeast("tickets raced", raced("ticket").length, 3)
    .atLeast("job keys raced", [...keys.values()].filter((all) => all.filter(isOk).length > 1).length, 3)
    .atLeast("accounts guessed past the limit", [...accounts.values()].filter(isRefused).length, 1)
    .none("tokens with two winners", [...groupBy(lines.of("use token"), "token")].flatMap(findTwoWinners))
    .none(
      "tokens without a winner",
      lines.isRedis ? [] : [...groupBy(lines.of("use token"), "token")].flatMap(findNoWinner),
    )
    .none(
      "keys with two jobs",
      [...keys].flatMap((entry) => findTwoJobs(entry, lines)),
    )
    .none(
      "limits exceeded",
      [...accounts].flatMap((entry) => findExceeded(entry, lines)),
    )
    .done();
}

const isRefused = (guesses: readonly Line[]) => guesses.some(({ outcome }) => outcome === "failed");

function findTwoWinners([token, uses]: [string, readonly Line[]]): string[] {
  const winners = uses.filter(isOk);
  return winners.length > 1 ? [`${winners[0]?.values.kind} ${token} was accepted ${winners.length} times`] : [];
}

/** A lost response may hide the winner. */
function findNoWinner([token, uses]: [string, readonly Line[]]): string[] {
  const isLost = uses.every(({ outcome }) => outcome === "failed");
  return isLost ? [`${uses[0]?.values.kind} ${token} was refused to all ${uses.length}`] : [];
}

/** All who were answered have the same job, and one of them has created it. The jobs that ran say the same. */
function findTwoJobs([key, all]: [string, readonly Line[]], lines: Lines): string[] {
  const answered = all.filter(isOk);
  const items = new Set(all.map(({ values }) => values.item));
  const ran = lines.ok("run").filter(({ values }) => items.has(values.item ?? ""));
  const jobs = new Set([...answered, ...ran].map(({ values }) => values.job));
  const creators = answered.filter(({ values }) => values.created === true).length;
  if (jobs.size > 1) return [`${key} has the jobs ${[...jobs].join(", ")}`];
  if (creators > 1) return [`${key} was created ${creators} times`];
  const isHidden = all.some(({ outcome }) => outcome === "unknown");
  return creators === 0 && answered.length > 0 && !isHidden ? [`${key} was created by none`] : [];
}

/** Each instance may let one guess pass that the others do not know of yet. A Redis that restarts forgets all. */
function findExceeded([account, guesses]: [string, readonly Line[]], lines: Lines): string[] {
  const limit = Number(guesses[0]?.values.limit);
  const compared = guesses.filter(isOk).length;
  const most = (limit + lines.instances) * (1 + lines.redisRestarts);
  return compared > most ? [`${account}: ${compared} guesses were compared, the limit is ${limit}`] : [];
}
