import type { Context } from "@tenon/core";
import { toDeveloperPage, toRouteList } from "./developer-page.ts";
import { type ErrorReport, type ReportSources, type RequestError, toErrorReport } from "./error-report.ts";
import { addSummary } from "./error-summary.ts";
import { developerPagePolicy } from "./page-frame.ts";

/** Why a request failed. The report is made when it is needed: it reads the body and the session. */
export class Explanation {
  readonly #requestError: RequestError;
  readonly #ctx: Context;
  readonly #sources: ReportSources;

  constructor(requestError: RequestError, ctx: Context, sources: ReportSources) {
    this.#requestError = requestError;
    this.#ctx = ctx;
    this.#sources = sources;
  }

  toData(): Promise<ErrorReport> {
    return toErrorReport(this.#requestError, this.#ctx, this.#sources);
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
