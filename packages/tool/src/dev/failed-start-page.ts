import { randomUUID } from "node:crypto";
import { api, type Context, createApp, defineModule } from "@tenon/core";
import { DeveloperAccess } from "@tenon/devtools/internal";

const notice = "The application did not start. The terminal of tenon dev says why.";

/** Responds at the port of an application that did not start, until the next attempt. */
export class FailedStartPage {
  readonly #access: DeveloperAccess;
  #stop: Promise<() => Promise<void>> | undefined;

  constructor(secret: string) {
    this.#access = new DeveloperAccess(secret);
  }

  open({ hostname, port }: URL, report: string): void {
    const id = randomUUID();
    const handle = (ctx: Context) => this.#respond(ctx, report, id);
    const options = { log: { level: "silent" }, onStartError: "throw" } as const;
    const app = createApp(defineModule({ name: "failed-start" }), api({ middlewares: [{ handle }] }), options);
    this.#stop = app.then(async ({ listen, stop }) => {
      await listen({ port: Number(port || 80), host: hostname.replace(/[[\]]/g, ""), signals: false }).catch(() => {}); // it is taken
      return stop;
    });
  }

  async close(): Promise<void> {
    const stop = await this.#stop;
    await stop?.();
  }

  #respond(ctx: Context, report: string, id: string) {
    const response = ctx.response().setHeader("cache-control", "no-store").setHeader("x-tenon-failed", id);
    const isDeveloper = this.#access.admit(ctx);
    if (isDeveloper && ctx.path === "/@tenon/events") {
      // pages that the application has rendered are reloaded by it, and show the error
      response.setHeader("content-type", "text/event-stream");
      return ctx.status(200).send(`event: start\ndata: ${id}\n\n`);
    }
    const text = (isDeveloper && report) || notice;
    if (ctx.method !== "GET" || !ctx.header("accept").includes("text/html")) return ctx.status(503).send(text);
    response.setHeader("content-type", "text/html; charset=utf-8");
    return ctx.status(503).send(toPage(text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"), id));
  }
}

/** Reloads itself when anything else responds. */
function toPage(text: string, id: string): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<title>The application did not start</title>
<style>:root { color-scheme: light dark } body { margin: 2rem clamp(1rem, 4vw, 4rem); font: 1rem/1.5 system-ui, sans-serif }
pre { overflow: auto; padding: 1rem; border: 1px solid; border-radius: 8px; font-size: 0.875rem }</style>
<main><h1>The application did not start</h1><pre tabindex="0">${text}</pre>
<p>This page reloads when it starts. The next change of a file tries again.</p></main>
<script>setInterval(async () => {
  const response = await fetch(location.href, { method: "HEAD" }).catch(() => {});
  if (response && response.headers.get("x-tenon-failed") !== "${id}") location.reload();
}, 500)</script></html>
`;
}
