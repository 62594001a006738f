import { array, boolean, dto, HttpError, inject, route, string } from "@tenon/core";
import type { RouteDescription } from "@tenon/devtools/internal";
import { Applications } from "../run/applications.ts";
import { placeFlags, toPlace } from "../run/place.ts";
import { toSource } from "../run/source.ts";
import { auditRoutes, describeHandler, describeRoute, type Finding, listOpenWrites } from "./route-audit.ts";

const RoutesFlags = dto({
  audit: boolean().describe(
    "List writes without a guard, parameters without a policy, endpoints without a contract and shadowed routes",
  ),
  ignore: array(string()).describe("Routes that the audit accepts, such as POST /login"),
  ...placeFlags,
});

/** `tenon routes`, without starting the application. */
export class RoutesController {
  readonly #applications = inject(Applications);

  readonly list = route.command(
    "routes",
    { summary: "List the routes", query: RoutesFlags },
    async (ctx, { query: flags }) => {
      const place = toPlace(ctx, flags);
      const { routes } = await this.#applications.describe(place);
      const isJson = ctx.query("json") !== "";
      if (!flags.audit) return isJson ? routes : toTable(routes, place.folder);
      const findings = withoutIgnored(routes, auditRoutes(routes, place.folder), flags.ignore ?? []);
      const open = listOpenWrites(routes, place.folder);
      const error = findings.length > 0 ? `${findings.length} finding${findings.length === 1 ? "" : "s"}` : undefined;
      if (!isJson) return printAudit([...open, ...findings], error);
      return error === undefined ? { findings, open } : ctx.status(422).json({ error, findings, open });
    },
  );

  routes() {
    return [this.list];
  }
}

/** A misspelt route would be reported forever, so it is refused. */
function withoutIgnored(
  routes: readonly RouteDescription[],
  findings: readonly Finding[],
  ignored: readonly string[],
): Finding[] {
  const accepted = new Set(ignored.map((text) => text.trim().replace(/\s+/, " ")));
  const unknown = accepted.difference(new Set(routes.map(describeRoute)));
  if (unknown.size > 0) throw new HttpError(404, `--ignore: there is no route ${[...unknown].join(", ")}`);
  return findings.filter(({ route }) => !accepted.has(route));
}

/** Most applications have no policy at first: then the table has no column for them. */
function toTable(routes: readonly RouteDescription[], folder: string) {
  const hasPolicies = routes.some(({ policies }) => policies.length > 0);
  return routes.map((route) => {
    const { method, path, middlewares, policies } = route;
    return {
      ...(method === undefined ? { command: path } : { method, path }),
      handler: describeHandler(route),
      middlewares: middlewares.join(", "),
      ...(hasPolicies ? { policies: policies.join(", ") } : {}),
      source: toSource(route, folder),
    };
  });
}

/** Prints the list on standard output, and then fails where there are findings, so that the exit code is 1. */
async function* printAudit(listed: readonly Finding[], error: string | undefined): AsyncGenerator<string> {
  for (const { finding, route, handler, source } of listed) {
    yield `${finding}: ${route} (${source === undefined ? handler : `${handler}, ${source}`})\n`;
  }
  if (error !== undefined) throw new HttpError(422, error);
  yield "no findings\n";
}
