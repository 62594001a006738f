import { resolve } from "node:path";
import { boolean, type Context, dto, type Infer, inject, type Routes, string, takes } from "@tenon/core";
import { AppsService } from "./apps.service.ts";
import { findAppNameFault } from "./names.ts";
import { oneOf, Questions } from "./questions.ts";
import { type AppTemplate, appTemplates } from "./templates.ts";

const NewAppFlags = dto({
  name: string().short("n").about("Of the application and of its folder"),
  template: string("oneof=api cli").short("t").about("What it starts as; api unless told otherwise"),
  in: string().about("The folder to work in; the current one unless told otherwise"),
  install: boolean().about("Run npm install; --no-install leaves it out"),
});
type NewAppFlags = Infer<typeof NewAppFlags>;

const usage = "tenon app --name=<name> [--template=<api|cli>]";

export class AppsController {
  readonly #apps = inject(AppsService);
  readonly #questions = inject(Questions);

  routes(): Routes {
    return [{ path: "app", handler: takes(NewAppFlags, this.create) }];
  }

  async create(ctx: Context, flags: NewAppFlags) {
    const naming = { flag: "name", text: "Name of the application", findFault: findAppNameFault };
    const choosing = {
      flag: "template",
      text: "Template, api or cli",
      fallback: "api",
      findFault: oneOf(appTemplates),
    };
    const name = await this.#questions.settle(ctx, flags.name, naming, usage);
    const template = await this.#questions.settle(ctx, flags.template, choosing, usage);
    return this.#apps.create({
      name,
      template: template as AppTemplate, // oneOf has looked
      folder: resolve(flags.in ?? "."),
      install: flags.install ?? true,
      signal: ctx.signal,
    });
  }
}
