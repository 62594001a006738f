import type { Pair } from "./actors.ts";
import type { Attack, Mode } from "./attack.ts";
import type { Exchange } from "./exchange.ts";
import { type AccessFinding, toFinding } from "./report.ts";
import type { FindingKind, Verdict } from "./step.ts";

interface Found {
  readonly attack: Attack;
  readonly verdict: Verdict;
  readonly attackers: Set<string>;
}

const severity: readonly FindingKind[] = ["delete", "change", "attach", "mass assignment", "live", "read", "existence"];

/** Collects what attacks show, each thing once, by the shortest list of requests that shows it again. */
export class Findings {
  readonly #exchange: Exchange;
  readonly #found = new Map<string, Found>();
  /** How many requests were sent to show something again. */
  repeated = 0;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  async run(attack: Attack, pair: Pair): Promise<void> {
    const { attacker } = pair;
    if (this.#isShown(attack, pair)) return;
    for (const verdict of await attack.run(pair, { isWarm: true, isFresh: false })) {
      const known = this.#found.get(toKey(attack, verdict));
      if (known !== undefined) {
        known.attackers.add(attacker.name);
        continue;
      }
      const start = this.#exchange.sent;
      const shortest = await this.#repeat(attack, pair, verdict);
      this.repeated += this.#exchange.sent - start;
      if (shortest !== undefined) {
        this.#found.set(toKey(attack, shortest), { attack, verdict: shortest, attackers: new Set([attacker.name]) });
      }
    }
  }

  /** Whether a user's attack was shown with another pair of users. */
  #isShown(attack: Attack, { attacker }: Pair): boolean {
    return [...this.#found.values()].some(
      (one) => one.attack === attack && (!attacker.isGuest || one.attackers.has(attacker.name)),
    );
  }

  /** The same on new objects, first without the owner's request before. What does not show again was chance. */
  async #repeat(attack: Attack, pair: Pair, verdict: Verdict): Promise<Verdict | undefined> {
    const find = async (mode: Mode) => {
      const again = await attack.run(pair, mode);
      // on a new object, a change may show that did not on one that had these values
      const worse = again.find((one) => severity.indexOf(one.kind) < severity.indexOf(verdict.kind));
      return worse ?? again.find((one) => toKey(attack, one) === toKey(attack, verdict));
    };
    // a new object has nothing inside that could show, and is not in a list that was cached before
    const isOld = verdict.objects.length > 1 || attack.label === "response";
    const onSame = isOld ? await find({ isWarm: true, isFresh: false }) : undefined;
    const onNew = await find({ isWarm: false, isFresh: true });
    return onNew ?? (await find({ isWarm: true, isFresh: true })) ?? onSame;
  }

  /** The worst first; what a worse one at the same place implies is left out. */
  async list(): Promise<AccessFinding[]> {
    const all = [...this.#found.values()];
    const isImplied = ({ attack, verdict }: Found) =>
      all.some((other) => {
        if (other.attack.operation.id !== attack.operation.id || verdict.kind === "mass assignment") return false;
        const isList = other.attack.label === "response" && /^query|^figures/.test(attack.label);
        if (isList && other.verdict.kind === "read") return true;
        const isSamePlace = other.attack.label.split(" ")[0] === attack.label.split(" ")[0];
        const isHead = attack.operation.method === "HEAD" && other.attack.operation.method !== "HEAD";
        return isSamePlace && (isHead || rank(other) < rank({ attack, verdict }));
      });
    const kept = all.filter((one) => !isImplied(one)).toSorted((a, b) => rank(a) - rank(b));
    return Array.fromAsync(kept, ({ attack, verdict, attackers }) =>
      toFinding(this.#exchange.app, attack, verdict, [...attackers]),
    );
  }
}

function toKey({ operation, label }: Attack, { kind, evidence }: Verdict): string {
  return [operation.id, label, kind, kind === "mass assignment" ? evidence : ""].join(" ");
}

function rank({ verdict }: Pick<Found, "attack" | "verdict">): number {
  return severity.indexOf(verdict.kind);
}
