import { dto, HttpError, integer, route, string } from "@tenon/core";
import { placeFlags, toPlace } from "../run/place.ts";
import { type KeptRequest, readRequests } from "./request-file.ts";
import { toRequestText } from "./request-text.ts";

const { in: folderFlag } = placeFlags;
const ListFlags = dto({
  limit: integer("min=1", "max=1000").describe("How many, the newest last; 20 without it"),
  find: string().describe("Only requests with these words in method, target, status or handler"),
  in: folderFlag,
});
const ShowFlags = dto({ in: folderFlag });
const IdParams = dto({ id: string("required") });

/** `tenon requests`: what the developer tools of an application have recorded. It need not run. */
export class RequestsController {
  readonly list = route.command(
    "requests",
    { summary: "List the last requests and jobs of an application in development", query: ListFlags },
    (ctx, { query: { limit = 20, find = "", in: folder } }) => {
      const requests = readRequests(toPlace(ctx, { in: folder }).folder);
      const found = requests.filter((request) => matches(request, find)).slice(-limit);
      return ctx.query("json") === "" ? found.map(toRow) : found;
    },
  );

  readonly show = route.command(
    "requests/show/:id",
    { summary: "Show one request or job: its operations, log lines and errors", params: IdParams, query: ShowFlags },
    (ctx, { params: { id }, query: { in: folder } }) => {
      const request = readRequests(toPlace(ctx, { in: folder }).folder).findLast((kept) => kept.id === id);
      if (request === undefined) throw new HttpError(404, `there is no request ${id}. tenon requests lists them.`);
      return ctx.query("json") === "" ? toRequestText(request) : request;
    },
  );

  routes() {
    return [this.list, this.show];
  }
}

function toRow({ id, at, method, target, status, job, ms, spans, logs }: KeptRequest) {
  const errors = logs.filter(({ error }) => error !== undefined).length;
  return {
    id,
    at: at.slice(11, 19),
    method: job === undefined ? method : "JOB",
    target,
    status: job?.state ?? status,
    ms: ms.toFixed(1),
    sql: spans.filter(({ kind }) => kind === "sql").length,
    errors: errors === 0 ? "" : errors,
  };
}

/** Every word occurs. */
function matches({ method, target, status, job, handler }: KeptRequest, words: string): boolean {
  const text = [method, target, status, job === undefined ? "" : `job ${job.state}`, handler].join(" ").toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
