import { resolve } from "node:path";
import { boolean, type Context, dto, endpoint, HttpError, inject, routes, string } from "@tenon/core";
import { Applications } from "./applications.ts";
import { ClientService, toDocumentText } from "./client.service.ts";
import type { RouteDescription } from "./description.ts";
import { auditRoutes, describeHandler, type Finding } from "./route-audit.ts";

const entry = string().describe("Entry point of the application; defaults to src/main.api.ts or the one of npm start");
const folder = string().describe("Folder of the application; defaults to the current folder");

const OpenapiFlags = dto({
  out: string().alias("o").describe("File to write; defaults to standard output"),
  entry,
  in: folder,
});

const RoutesFlags = dto({
  audit: boolean().describe("List unguarded writes, endpoints without a contract and shadowed routes"),
  entry,
  in: folder,
});

/** Commands that show an application without starting it. */
export class ApplicationsController {
  readonly #applications = inject(Applications);
  readonly #clients = inject(ClientService);

  routes() {
    return routes([
      { path: "openapi", handler: this.openapi },
      { path: "routes", handler: this.list },
    ]);
  }

  readonly openapi = endpoint(
    { summary: "Print or write the OpenAPI document", query: OpenapiFlags },
    async (ctx, { query: flags }) => {
      const place = toPlace(ctx, flags);
      const document = await this.#clients.describe(place);
      if (flags.out !== undefined) return this.#clients.writeDocument(document, place.folder, flags.out);
      return Buffer.from(toDocumentText(document)); // bytes, because --json would quote a text
    },
  );

  readonly list = endpoint({ summary: "List the routes", query: RoutesFlags }, async (ctx, { query: flags }) => {
    const { routes } = await this.#applications.describe(toPlace(ctx, flags));
    const isJson = ctx.query("json") !== "";
    if (!flags.audit) return isJson ? routes : routes.map(toRow);
    const findings = auditRoutes(routes);
    if (findings.length === 0) return isJson ? findings : "no findings";
    const error = `${findings.length} finding${findings.length === 1 ? "" : "s"}`;
    return isJson ? ctx.status(422).json({ error, findings }) : printFindings(findings, error);
  });
}

function toPlace(
  ctx: Pick<Context, "signal">,
  { entry, in: folder }: { readonly entry?: string; readonly in?: string },
) {
  return { folder: resolve(folder ?? "."), entry, signal: ctx.signal };
}

function toRow(route: RouteDescription) {
  const { method, path, middlewares } = route;
  const place = method === undefined ? { command: path } : { method, path };
  return { ...place, handler: describeHandler(route), guards: middlewares.join(", ") };
}

/** Lists the findings on standard output, and then fails, so that the exit code is 1. */
async function* printFindings(findings: readonly Finding[], error: string): AsyncGenerator<string> {
  for (const { finding, route, handler } of findings) yield `${finding}: ${route} (${handler})\n`;
  throw new HttpError(422, error);
}
