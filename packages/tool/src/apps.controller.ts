import { resolve } from "node:path";
import { boolean, type Context, dto, type Infer, inject, routes, string, takes } from "@tenon/core";
import { AppsService } from "./apps.service.ts";
import { findAppNameFault } from "./names.ts";
import { oneOf, Questions } from "./questions.ts";
import { type AppTemplate, appTemplates } from "./templates.ts";

const NewAppFlags = dto({
  name: string().alias("n").describe("Of the application and of its folder"),
  template: string("oneof=api web cli full").alias("t").describe("What it starts as; api unless told otherwise"),
  in: string().describe("The folder to work in; the current one unless told otherwise"),
  no_install: boolean().describe("Leave npm install out"),
});
type NewAppFlags = Infer<typeof NewAppFlags>;

const usage = `tenon app --name=<name> [--template=<${appTemplates.join("|")}>]`;
const naming = { flag: "name", text: "Name of the application", findFault: findAppNameFault };
const choosing = {
  flag: "template",
  text: "Template: api, web, cli or full",
  fallback: "api",
  findFault: oneOf(appTemplates),
};

export class AppsController {
  readonly #apps = inject(AppsService);
  readonly #questions = inject(Questions);

  routes() {
    return routes([{ path: "app", handler: takes(NewAppFlags, this.create) }]);
  }

  async create(ctx: Context, flags: NewAppFlags) {
    const folder = resolve(flags.in ?? ".");
    if (this.#questions.isTerminal()) this.#apps.checkFolder(folder); // or it would ask for nothing
    const name = await this.#questions.settle(ctx, flags.name, naming, usage);
    const target = this.#apps.locate(folder, name);
    const template = await this.#questions.settle(ctx, flags.template, choosing, usage);
    return this.#apps.create({
      name,
      target,
      template: template as AppTemplate, // oneOf has looked
      install: flags.no_install !== true,
      signal: ctx.signal,
    });
  }
}
