import { dto, HttpError, inject, route, string } from "@tenon/core";
import { Applications } from "../run/applications.ts";
import { placeFlags, toPlace } from "../run/place.ts";
import { type FoundProblem, toProblemText } from "../run/problem.ts";
import { Checks } from "./checks.ts";
import { explain, toText } from "./explanation.ts";
import { Information, toInformationText } from "./information.ts";

const PlaceFlags = dto(placeFlags);
const InfoFlags = dto({ in: placeFlags.in });
const Named = dto({ name: string("required").describe("Name of a class or token, as the code writes it") });

/** Commands that explain and check an application without starting it. */
export class InspectController {
  readonly #applications = inject(Applications);
  readonly #checks = inject(Checks);
  readonly #information = inject(Information);

  readonly list = route.command(
    "explain",
    { summary: "List the classes and tokens of an application", query: PlaceFlags },
    async (ctx, { query: flags }) => {
      const { modules } = await this.#applications.describe(toPlace(ctx, flags));
      return modules.flatMap((module) =>
        module.declarations.map(({ name, kind }) => ({ name, kind, module: module.name })),
      );
    },
  );

  readonly explain = route.command(
    "explain/:name",
    { summary: "Explain who provides a class or token, who uses it, and why", params: Named, query: PlaceFlags },
    async (ctx, { params: { name }, query: flags }) => {
      const place = toPlace(ctx, flags);
      const explanations = explain(await this.#applications.describe(place), name, place.folder);
      return ctx.query("json") !== "" ? explanations : `${explanations.map(toText).join("\n\n")}\n`;
    },
  );

  readonly check = route.command(
    "check",
    { summary: "Check wiring, routes, configuration and types", query: PlaceFlags },
    async (ctx, { query: flags }) => {
      const { problems, checked } = await this.#checks.run(toPlace(ctx, flags));
      const isJson = ctx.query("json") !== "";
      if (problems.length === 0) return isJson ? { checked, problems } : `no problems: ${checked.join(", ")}\n`;
      const error = `${problems.length} problem${problems.length === 1 ? "" : "s"}`;
      return isJson ? ctx.status(422).json({ error, checked, problems }) : printProblems(problems, error);
    },
  );

  readonly info = route.command(
    "info",
    { summary: "Print versions, entry points, stores and what they guarantee, for a bug report", query: InfoFlags },
    async (ctx, { query: flags }) => {
      const information = await this.#information.read(toPlace(ctx, flags));
      return ctx.query("json") !== "" ? information : toInformationText(information);
    },
  );

  routes() {
    return [this.list, this.explain, this.check, this.info];
  }
}

/** Lists the problems on standard output, and then fails, so that the exit code is 1. */
async function* printProblems(problems: readonly FoundProblem[], error: string): AsyncGenerator<string> {
  for (const problem of problems) yield toProblemText(problem);
  throw new HttpError(422, error);
}
