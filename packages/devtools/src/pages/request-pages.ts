import { type Context, HttpError, inject, route } from "@tenon/core";
import { redirect, view } from "@tenon/web";
import { DevtoolsParts, devtoolsPath, findPanels, isDevtoolsTarget } from "../parts.ts";
import type { Recorded, RecordedSpan } from "../record/recorded.ts";
import { toCurl } from "./curl.ts";
import { PackagePaths } from "./package-paths.ts";
import { checkReplay, parseHeaders, ReplayedIncoming, toReplayForm } from "./replay.ts";
import { RequestFilter } from "./request-filter.ts";
import { type RequestRow, toRow } from "./request-row.ts";
import { findRepeated, findSlow, toWaterfall } from "./waterfall.ts";

const base = `${devtoolsPath}/requests`;

/** The list of requests and jobs, each of them, and its repetition. */
export class RequestPages {
  readonly #parts = inject(DevtoolsParts);
  readonly #packagePaths = inject(PackagePaths);

  async index(ctx: Context) {
    const filter = new RequestFilter(ctx);
    const { buffer, recorder, slowQuery } = this.#parts;
    const packagePaths = await this.#packagePaths.read();
    const rows = [...recorder.running(), ...buffer.list()].map((record) => toRow(record, slowQuery, packagePaths));
    const requests = filter.apply(rows);
    if (ctx.query("part") === "rows") return view("requests/rows", { requests });
    const { query, mark, least, packages, sort, marks, isActive, columns } = filter;
    return view("requests/index", { query, mark, least, packages, sort, marks, isActive, columns, requests });
  }

  clear() {
    this.#parts.buffer.clear();
    return redirect(`${devtoolsPath}/requests`);
  }

  show(ctx: Context) {
    const record = this.#find(ctx);
    const { slowQuery, buffer } = this.#parts;
    const origin = `${ctx.request().protocol()}://${ctx.request().host()}`;
    const all = buffer.list();
    const jobs = record.spans.flatMap(({ kind, job }) => (kind === "enqueue" && job !== undefined ? [job] : []));
    return view("requests/show", {
      request: record,
      row: this.#toRow(record),
      waterfall: toWaterfall(record, slowQuery),
      slow: findSlow(record.spans, slowQuery),
      repeated: findRepeated(record.spans),
      slowQuery,
      curl: record.kind === "request" ? toCurl(record, origin) : undefined,
      replay: record.kind === "request" ? toReplayForm(record) : undefined,
      /** The attempts of jobs that it has enqueued, the newest first. */
      jobs: all.filter(({ job }) => job !== undefined && jobs.includes(job.id)).map((found) => this.#toRow(found)),
      /** The request or job that has enqueued it. */
      source: all.filter((other) => hasEnqueued(other, record)).map((found) => this.#toRow(found))[0],
    });
  }

  async explain(ctx: Context) {
    const record = this.#find(ctx);
    const span: RecordedSpan | undefined = record.spans[Number(ctx.param("index"))];
    if (span?.kind !== "sql") throw new HttpError(404, "There is no such statement.");
    const statement = { database: span.database ?? "", sql: span.name };
    const plan = await this.#explain(statement).catch(
      (error: unknown) => `${error instanceof Error ? error.message : error}`,
    );
    return view("requests/explain", { request: { id: record.id, target: record.target }, span, plan });
  }

  edit(ctx: Context) {
    const record = this.#find(ctx);
    return view("requests/replay", { request: this.#toRow(record), form: toReplayForm(record) });
  }

  async replay(ctx: Context) {
    const record = this.#find(ctx);
    const form = await ctx.request().form();
    const secrets = Object.entries(form.toRecord()).flatMap(([name, value]): [string, string][] =>
      name.startsWith("secret:") && typeof value === "string" && value !== ""
        ? [[name.slice("secret:".length), value]]
        : [],
    );
    const input = {
      method: form.get("method"),
      target: form.get("target"),
      headers: {
        ...parseHeaders(form.get("headers")),
        ...parseHeaders(secrets.map((pair) => pair.join(": ")).join("\n")),
      },
      body: form.get("body"),
    };
    checkReplay(input);
    if (isDevtoolsTarget(input.target)) throw new HttpError(400, "The developer tools do not record themselves.");
    const ended = new AbortController();
    const incoming = new ReplayedIncoming(input, ctx.request().host(), ended.signal);
    const { recorder, next } = this.#parts;
    const id = await recorder.replay(incoming, next, record.id);
    ended.abort(); // the body of a stream is not read
    return redirect(`${devtoolsPath}/requests/${id}`);
  }

  /** Tells the list when it has changed. */
  events(ctx: Context) {
    ctx.response().setHeader("content-type", "text/event-stream");
    return toEvents((onChange) => this.#parts.buffer.watch(onChange), ctx.signal);
  }

  async #explain(statement: { readonly database: string; readonly sql: string }): Promise<string> {
    for (const panel of findPanels(this.#parts.introspection)) {
      const plan = await panel.explain?.(statement);
      if (plan !== undefined) return plan;
    }
    return "No package of this application can explain a statement of this database.";
  }

  #find(ctx: Context): Recorded {
    const { buffer, recorder } = this.#parts;
    const wanted = ctx.param("id");
    const record = buffer.find(wanted) ?? recorder.running().find(({ id }) => id === wanted);
    if (record !== undefined) return record;
    throw new HttpError(404, "There is no such request: the oldest are dropped when new ones arrive.");
  }

  #toRow(record: Recorded): RequestRow {
    return toRow(record, this.#parts.slowQuery);
  }

  routes() {
    return [
      route.get(devtoolsPath, () => redirect(base)),
      route.get(base, this.index),
      route.post(`${base}/clear`, this.clear),
      route.get(`${base}/:id`, this.show),
      route.get(`${base}/:id/explain/:index`, this.explain),
      route.get(`${base}/:id/replay`, this.edit),
      route.post(`${base}/:id/replay`, this.replay),
      route.get(`${devtoolsPath}/events`, this.events),
    ];
  }
}

function hasEnqueued({ id, spans }: Recorded, { id: own, job }: Recorded): boolean {
  return job !== undefined && id !== own && spans.some((span) => span.kind === "enqueue" && span.job === job.id);
}

/** Milliseconds between events, and between comments that keep the connection open. */
const eventInterval = 150;
const heartbeat = 15_000;

async function* toEvents(watch: (onChange: () => void) => () => void, signal: AbortSignal): AsyncGenerator<string> {
  let wake = Promise.withResolvers<string>();
  const end = () => wake.resolve("");
  const stop = watch(() => wake.resolve("event: change\ndata: \n\n"));
  const timer = setInterval(() => wake.resolve(":\n\n"), heartbeat).unref();
  signal.addEventListener("abort", end, { once: true });
  try {
    yield ":\n\n";
    while (!signal.aborted) {
      const text = await wake.promise;
      if (text === "") return;
      await new Promise((resolve) => setTimeout(resolve, eventInterval).unref());
      wake = Promise.withResolvers<string>();
      if (signal.aborted) return;
      yield text;
    }
  } finally {
    stop();
    clearInterval(timer);
    signal.removeEventListener("abort", end);
  }
}
