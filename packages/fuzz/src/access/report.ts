import type { App } from "@tenon/core";
import type { Operation } from "../operation.ts";
import type { Attack } from "./attack.ts";
import { CurlWriter } from "./curl.ts";
import type { FindingKind, Verdict } from "./step.ts";

/** One way in which an actor reaches what belongs to another. */
export interface AccessFinding {
  readonly kind: FindingKind;
  /** The id of the operation: `notes.show`. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** Where the foreign id goes: `:id`, `query project_id`, `body ids[]`; `response` for a list. */
  readonly place: string;
  /** Whose requests show it. */
  readonly attackers: readonly string[];
  readonly evidence: string;
  /** `NotesController.show`; empty where it is not known. */
  readonly handler: string;
  readonly policies: readonly string[];
  /** The requests that show it again, on objects of their own. */
  readonly curl: readonly string[];
  readonly cure: string;
}

/** Thrown by `fuzzAccess`: the message is the report. */
export class AccessError extends Error {
  override readonly name = "AccessError";
  readonly findings: readonly AccessFinding[];

  constructor(findings: readonly AccessFinding[], requests: number, seed: number) {
    const count = findings.length === 1 ? "1 way" : `${findings.length} ways`;
    const list = findings.map((finding, index) => describe(finding, index + 1));
    const lines = findings.flatMap(({ curl }) => curl);
    const users = lines.some((line) => /(?<!-H ")\$\w+_ID\b/.test(line)) ? ", $NAME_ID the id of its user" : "";
    super(
      `fuzzAccess() found ${count} to reach what belongs to another actor.\n\n${list.join("\n\n")}\n\nrequests: ${requests}, seed: ${seed}. $URL is the address of the application, $NAME the header that authenticates an actor${users}.`,
    );
    this.findings = findings;
  }
}

function describe(finding: AccessFinding, number: number): string {
  const { kind, operation, method, path, place, attackers, evidence, handler, policies, curl, cure } = finding;
  const parts = [
    `${number}. ${kind}: ${operation} (${method} ${path}) at ${place}, by ${attackers.join(", ")}`,
    evidence,
    `${handler === "" ? "" : `handler: ${handler}; `}policies: ${policies.length === 0 ? "none" : policies.join(", ")}`,
    ...curl,
    `cure: ${cure}`,
  ];
  return parts.join("\n   ");
}

export async function toFinding(
  app: Pick<App, "routes">,
  { operation, label }: Attack,
  verdict: Verdict,
  attackers: readonly string[],
): Promise<AccessFinding> {
  const { id, method, path, policies } = operation;
  return {
    kind: verdict.kind,
    operation: id,
    method,
    path,
    place: label,
    attackers,
    evidence: verdict.evidence,
    handler: findHandler(app, operation),
    policies,
    curl: await new CurlWriter().write(verdict.steps, verdict.objects),
    cure: toCure(verdict, label, operation),
  };
}

function findHandler({ routes }: Pick<App, "routes">, { method, path }: Operation): string {
  const served = method === "HEAD" ? ["HEAD", "GET"] : [method];
  const route = routes
    .list()
    .find(
      (one) =>
        served.includes(String(one.method)) && one.path.replaceAll(/:(\w+)/g, "{$1}").replace(/\(.*?\)/g, "") === path,
    );
  if (route === undefined) return "";
  return route.controller === "" ? route.handler : `${route.controller}.${route.handler}`;
}

function toCure({ kind, steps }: Verdict, label: string, { policies }: Operation): string {
  if (kind === "mass assignment")
    return "use the bound body, which has the declared fields only, and set the owner from the authenticated user";
  if (kind === "existence")
    return "respond alike for both: a policy with missing = 404 and denied = 404 hides what exists";
  if (label === "response") {
    const isCached = new Set(steps.map(({ actor }) => actor)).size > 1;
    return isCached ? "keep the user in the key of the cache" : "restrict the query to what the user may see";
  }
  if (label.startsWith("query")) return "restrict the query to what the user may see, whatever its parameters say";
  if (label.startsWith("body")) return `check this id by the policy of its objects: await policy.check(ctx, id)`;
  if (label.startsWith("events")) return "publish to a topic for each user or object, not to one for all";
  const [param = label] = label.split(" ");
  return `${policies.length === 0 ? "add" : `"${policies.join('", "')}" let it pass: add`} a policy that loads ${param}`;
}
