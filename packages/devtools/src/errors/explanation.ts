import type { Context } from "@tenon/core";
import { toDeveloperPage, toRouteList } from "./developer-page.ts";
import { type Failure, type FailureReport, type ReportSources, toFailureReport } from "./failure-report.ts";
import { addSummary } from "./failure-summary.ts";
import { developerPagePolicy } from "./page-frame.ts";

/** Why a request failed. The report is made when it is needed: it reads the body and the session. */
export class Explanation {
  readonly #failure: Failure;
  readonly #ctx: Context;
  readonly #sources: ReportSources;

  constructor(failure: Failure, ctx: Context, sources: ReportSources) {
    this.#failure = failure;
    this.#ctx = ctx;
    this.#sources = sources;
  }

  toData(): Promise<FailureReport> {
    return toFailureReport(this.#failure, this.#ctx, this.#sources);
  }

  async toPage() {
    return { html: toDeveloperPage(await this.toData()), policy: developerPagePolicy };
  }

  async addTo(body: unknown): Promise<unknown> {
    return addSummary(body, await this.toData(), this.#ctx);
  }

  toRouteList(): string {
    return toRouteList(this.#sources.routes());
  }
}
