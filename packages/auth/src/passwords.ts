import { availableParallelism } from "node:os";
import { BindError, type Context, inject } from "@tenon/core";
import { networkOf } from "@tenon/core/middleware";
import type { Metric } from "@tenon/core/platform";
import { compare, getRounds, hash } from "bcrypt";
import { AuthSettings, BcryptCost } from "./settings.ts";
import { traceHash } from "./tracing.ts";
import { WorkQueue } from "./work-queue.ts";

const maxBytes = 72;
// milliseconds on a common machine, doubled by each step of the cost: the estimate until a hash has been timed
const costTenTakes = 60;

/** Hashes and compares passwords with bcrypt, off the main thread, and leaves threads free for file system and DNS work. */
export class Passwords {
  readonly #cost = inject(BcryptCost);
  readonly #queue = new WorkQueue({
    // Node's thread pool has four threads, shared with file system and DNS calls; one core is left to the event loop
    concurrency: Math.min(2, Math.max(1, availableParallelism() - 1)),
    maxWait: inject(AuthSettings).passwordWait,
    expected: costTenTakes * 2 ** (this.#cost - 10),
  });

  /**
   * bcrypt ignores everything after 72 bytes: two longer passwords with the same start would be equal (CVE-2025-22228).
   * So would two with a lone surrogate, which UTF-8 encodes alike.
   */
  fits(password: string): boolean {
    return password.isWellFormed() && Buffer.byteLength(password) <= maxBytes;
  }

  /**
   * Throws a BindError for the field `password` when it does not fit: bytes are not what `max=72` of a DTO counts. `ctx` is
   * the request that waits for it: networks take turns, so that none makes the others wait.
   */
  async hash(password: string, ctx?: Context): Promise<string> {
    if (!this.fits(password)) {
      throw new BindError([{ path: "password", rule: "max", message: `must have at most ${maxBytes} bytes` }]);
    }
    return traceHash("hash", () => this.#queue.run(() => hash(password, this.#cost), toClient(ctx)));
  }

  /** Takes as long without a stored hash or with a password that does not fit, and returns false. `ctx` as for `hash()`. */
  async matches(password: string, stored: string | undefined, ctx?: Context): Promise<boolean> {
    const fits = this.fits(password);
    const against = stored ?? dummyHash(this.#cost);
    const compared = () => this.#queue.run(() => compare(fits ? password : "does not fit", against), toClient(ctx));
    const equal = await traceHash("verify", compared);
    return equal && fits && stored !== undefined;
  }

  /** Found like `onStart()`, see `MetricSource`. */
  readMetrics(): Metric[] {
    const { running, waiting } = this.#queue;
    const values = [
      { value: running, labels: { state: "running" } },
      { value: waiting, labels: { state: "waiting" } },
    ];
    return [
      { name: "tenon_password_hashes", help: "Password hashes that are running or waiting", kind: "gauge", values },
    ];
  }

  /** Whether a hash was made with a lower cost than the current one. */
  isOutdated(stored: string): boolean {
    return getRounds(stored) < this.#cost;
  }
}

function toClient(ctx: Context | undefined): string {
  return ctx === undefined ? "" : networkOf(ctx.request().address());
}

/** A valid hash that matches no password: bcrypt rejects a malformed one at once, and the timing would reveal that no user exists. */
export function dummyHash(cost: number): string {
  return `$2b$${String(cost).padStart(2, "0")}$abcdefghijklmnopqrstuuT6Or7bzMfjFNWBEdrlwWU5TQ8hCa9Km`;
}
