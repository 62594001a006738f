import type { Context } from "@tenon/core";
import type { ErrorReport } from "./error-report.ts";

/** What the developer page shows at its top, for clients that read JSON. */
interface ErrorSummary {
  /** `TypeError: posts is not iterable` */
  readonly message: string;
  readonly causes?: readonly string[];
  /** The statement of a database that failed. */
  readonly sql?: string;
  /** `src/posts/posts.service.ts:12:5`: the innermost place in the application. Absent where the stack has none. */
  readonly place?: string;
  readonly hints?: readonly string[];
  /** The page of the request in the developer tools. */
  readonly request?: string;
}

/** Adds the summary to the body of an error, in any format of objects, under a name that no format has: `development`. */
export function addSummary(body: unknown, report: ErrorReport, ctx: Context): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const request = ctx.request();
  return { ...body, development: toSummary(report, `${request.protocol()}://${request.host()}`) };
}

/** `origin` is that of the application: `http://127.0.0.1:8080`. */
function toSummary(report: ErrorReport, origin: string): ErrorSummary {
  const { errors, message, hints, requestPage } = report;
  const [thrown = message, ...causes] = errors.map(({ name, message }) =>
    name === "" ? message : `${name}: ${message}`,
  );
  const sql = errors.find((error) => error.sql !== undefined)?.sql;
  const place = errors.flatMap(({ frames }) => frames).find(({ isOwn }) => isOwn)?.place;
  return {
    message: thrown,
    ...(causes.length === 0 ? {} : { causes }),
    ...(sql === undefined ? {} : { sql }),
    ...(place === undefined ? {} : { place }),
    ...(hints.length === 0 ? {} : { hints }),
    ...(requestPage === undefined ? {} : { request: `${origin}${requestPage}` }),
  };
}
