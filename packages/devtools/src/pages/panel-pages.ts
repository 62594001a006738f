import { randomBytes } from "node:crypto";
import { type Context, HttpError, inject, route } from "@tenon/core";
import { BoundedMap } from "@tenon/core/internal";
import type { DevPanel } from "@tenon/core/platform";
import { redirect, view } from "@tenon/web";
import { DevtoolsParts, devtoolsPath, findPanels } from "../parts.ts";
import { tokenField } from "./request-guard.ts";
import { type RequestRow, toRow } from "./request-row.ts";

const mostMessages = 20;
/** A document is not trusted: it may quote what strangers have sent. Its links may open a tab. */
const framePolicy = [
  "sandbox allow-popups allow-popups-to-escape-sandbox",
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");
/** The policy of the other pages, and frames of this site. */
const framingPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");
const policyName = "content-security-policy";
/** The panel of @tenon/jobs, to which requests link: its query `id` is that of a job. */
const jobsPanel = "jobs";

/** The pages that packages add. */
export class PanelPages {
  readonly #parts = inject(DevtoolsParts);
  /** What actions have returned, shown once, by a random id in the address. */
  readonly #messages = new BoundedMap<string, { readonly text: string; readonly isError: boolean }>(mostMessages);

  async show(ctx: Context) {
    const panel = this.#find(ctx);
    const { id, title } = panel;
    const { said = "", frame, ...query } = ctx.request().queries();
    const message = this.#messages.get(said);
    const sections = await panel.read(query);
    if (frame !== undefined) return sendDocument(ctx, sections[Number(frame)]?.html);
    if (sections.some(({ html }) => html !== undefined)) ctx.response().setHeader(policyName, framingPolicy);
    return view("panels/show", {
      panel: { id, title },
      query,
      sections,
      ...(message === undefined ? {} : { message }),
      ...(id === jobsPanel && query.id !== undefined ? { attempts: this.#findAttempts(Number(query.id)) } : {}),
    });
  }

  async act(ctx: Context) {
    const panel = this.#find(ctx);
    const { actions = {} } = panel;
    const name = ctx.param("action");
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) throw new HttpError(404, "There is no such action.");
    const { [tokenField]: _, back = "", ...input } = toTexts((await ctx.request().form()).toRecord());
    const said = randomBytes(6).toString("hex");
    try {
      this.#messages.set(said, { text: await action.call(actions, input), isError: false });
    } catch (error) {
      this.#messages.set(said, { text: error instanceof Error ? error.message : String(error), isError: true });
    }
    const query = new URLSearchParams(back);
    query.set("said", said);
    return redirect(`${devtoolsPath}/panels/${panel.id}?${query}`);
  }

  /** What was recorded of a job, the newest first: attempts in other processes are not. */
  #findAttempts(id: number): RequestRow[] {
    const { buffer, slowQuery } = this.#parts;
    const attempts = buffer.list().filter(({ job }) => job?.id === id);
    return attempts.map((record) => toRow(record, slowQuery));
  }

  #find(ctx: Context): DevPanel {
    const panel = findPanels(this.#parts.introspection).find(({ id }) => id === ctx.param("panel"));
    if (panel === undefined) throw new HttpError(404, "There is no such panel.");
    return panel;
  }

  routes() {
    return [
      route.get(`${devtoolsPath}/panels/:panel`, this.show),
      route.post(`${devtoolsPath}/panels/:panel/:action`, this.act),
    ];
  }
}

/** What the frame of a section shows. */
function sendDocument(ctx: Context, html: string | undefined) {
  if (html === undefined) throw new HttpError(404, "There is no such document.");
  ctx
    .response()
    .setHeader("content-type", "text/html; charset=utf-8")
    .setHeader(policyName, framePolicy)
    .setHeader("x-frame-options", "SAMEORIGIN")
    .setHeader("cross-origin-opener-policy", "unsafe-none"); // a browser shows no sandboxed document with another one in a tab
  // the doctype and the head of the document itself are ignored, and its elements are not (HTML, 13.2.6.4.4)
  return ctx.status(200).send(`<!doctype html><base target="_blank">${html}`);
}

function toTexts(record: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, String([value].flat()[0])]));
}
