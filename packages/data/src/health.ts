import { type Context, inject, routes } from "@tenon/core";

export type HealthCheck = () => Promise<unknown>;

export interface HealthReport {
  readonly status: "ok" | "unavailable";
  readonly checks: Readonly<Record<string, "ok" | "unavailable">>;
}

const checkTimeout = 1500;

/** Collects the checks of everything that can be down. */
export class Health {
  readonly #checks = new Map<string, HealthCheck>();

  /** Adds a check, which rejects when the part is not ready. A name that is taken is replaced. */
  add(name: string, check: HealthCheck): void {
    this.#checks.set(name, check);
  }

  async report(): Promise<HealthReport> {
    const results = await Promise.all(
      [...this.#checks].map(async ([name, check]) => [name, (await passes(check)) ? "ok" : "unavailable"] as const),
    );
    const status = results.every(([, result]) => result === "ok") ? "ok" : "unavailable";
    return { status, checks: Object.fromEntries(results) };
  }
}

async function passes(check: HealthCheck): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), checkTimeout);
  });
  try {
    const passed = Promise.resolve()
      .then(check)
      .then(
        () => true,
        () => false,
      );
    return await Promise.race([passed, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** `/health/live`: the process answers. `/health/ready`: so does everything it needs. Declare it to mount both. */
export class HealthController {
  readonly #health = inject(Health);

  routes() {
    return routes([
      { method: "GET", path: "/health/live", handler: this.live },
      { method: "GET", path: "/health/ready", handler: this.ready },
    ]);
  }

  live() {
    return { status: "ok" };
  }

  async ready(ctx: Context) {
    const report = await this.#health.report();
    return ctx.status(report.status === "ok" ? 200 : 503).json(report);
  }
}
