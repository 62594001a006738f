import { resolve } from "node:path";
import { boolean, type Context, dto, type Infer, inject, route, string } from "@tenon/core";
import { validateAppName } from "../names.ts";
import { oneOf, Prompts } from "../prompts.ts";
import { type AppTemplate, appTemplates } from "../templates.ts";
import { AppsService } from "./apps.service.ts";

const nameText = "Name of the application and of its folder";
const flags = {
  template: string("oneof=api web cli full").alias("t").describe("Template to start from; defaults to api"),
  in: string().describe("Folder to create it in; defaults to the current folder"),
  no_install: boolean().describe("Skip npm install"),
};
const NamedAppFlags = dto(flags);
const AppFlags = dto({ name: string().alias("n").describe(nameText), ...flags });
const AppParams = dto({ name: string("required").describe(nameText) });

const usage = `tenon new <name> [--template=<${appTemplates.join("|")}>]`;
const namePrompt = { flag: "name", text: "Name of the application", validate: validateAppName };
const templatePrompt = {
  flag: "template",
  text: "Template",
  choices: [
    { value: "api", hint: "JSON over HTTP" },
    { value: "web", hint: "HTML pages" },
    { value: "cli", hint: "commands" },
    { value: "full", hint: "one set of services as all three" },
  ],
  defaultValue: "api",
  validate: oneOf(appTemplates),
};

export class AppsController {
  readonly #apps = inject(AppsService);
  readonly #prompts = inject(Prompts);

  readonly create = route.command("", { summary: "Create an application", query: AppFlags }, (ctx, { query }) =>
    this.#create(ctx, query),
  );

  readonly createNamed = route.command(
    ":name",
    { summary: "Create an application of this name", params: AppParams, query: NamedAppFlags },
    (ctx, { params, query }) => this.#create(ctx, { ...query, ...params }),
  );

  routes() {
    return [{ path: "new", children: [this.create, this.createNamed] }];
  }

  async #create(ctx: Context, flags: Infer<typeof AppFlags>) {
    const folder = resolve(flags.in ?? ".");
    if (this.#prompts.isTerminal()) this.#apps.checkFolder(folder); // before the prompts, which would be in vain
    const name = await this.#prompts.resolve(ctx, flags.name, namePrompt, usage);
    const target = this.#apps.locate(folder, name);
    const template = await this.#prompts.resolve(ctx, flags.template, templatePrompt, usage);
    return this.#apps.create({
      name,
      target,
      template: template as AppTemplate, // oneOf has checked it
      install: flags.no_install !== true,
      signal: ctx.signal,
    });
  }
}
