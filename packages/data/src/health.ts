import { dto, inject, literal, record, route } from "@tenon/core";
import { endsWithin } from "@tenon/core/internal";

export type HealthCheck = () => Promise<unknown>;

export interface HealthReport {
  readonly status: "ok" | "unavailable";
  readonly checks: Readonly<Record<string, "ok" | "unavailable">>;
}

const checkTimeout = 1500;

/** Collects the readiness checks of an application. */
export class Health {
  readonly #checks = new Map<string, HealthCheck>();

  /** Adds a check that rejects when a dependency is not ready. Replaces a check of the same name. */
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
  try {
    return await endsWithin(Promise.try(check), checkTimeout);
  } catch {
    return false;
  }
}

const result = ["ok", "unavailable"] as const;
const Report = dto({ status: literal(result, "required"), checks: record(literal(result), "required") }); // without a name, which an application may use
const tags = ["health"];

/** `/health/live`: the process responds. `/health/ready`: all checks pass. Declare it to mount both. */
export class HealthController {
  readonly #health = inject(Health);

  readonly live = route.get(
    "/health/live",
    { summary: "Whether the process responds", tags, returns: dto({ status: literal(["ok"], "required") }) },
    () => toResponse(200, { status: "ok" }),
  );

  readonly ready = route.get(
    "/health/ready",
    { summary: "Whether every store responds", tags, returns: Report, errors: { 503: Report } },
    async () => {
      const report = await this.#health.report();
      return toResponse(report.status === "ok" ? 200 : 503, report);
    },
  );

  routes() {
    return [this.live, this.ready];
  }
}

/** JSON on every platform: one with views would look for a view, because a health check accepts any type. */
function toResponse(status: number, value: object): never {
  const response = Response.json(value, { status, headers: { "content-type": "application/json; charset=utf-8" } });
  return response as never; // the type of an endpoint has no place for a Response with the body that it declares
}
