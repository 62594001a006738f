import { basename, resolve } from "node:path";
import { BindError, boolean, type Context, dto, type Infer, inject, route, string } from "@tenon/core";
import { validateAppName } from "../names.ts";
import { oneOf, Prompts } from "../prompts.ts";
import { type AppTemplate, appTemplates } from "../templates.ts";
import { AppsService } from "./apps.service.ts";

const flags = {
  name: string().alias("n").describe("Name of the application; defaults to that of its folder"),
  template: string("oneof=api web cli full").alias("t").describe("Template to start from; defaults to api"),
  in: string().describe("Folder to create it in; defaults to the current folder"),
  no_lint: boolean().describe("Leave out Biome, its settings and its scripts"),
  no_accounts: boolean().describe("Leave out users, mail and accounts, which the template full has"),
  no_install: boolean().describe("Skip npm install"),
};
const AppFlags = dto(flags);
const AppParams = dto({ folder: string("required").describe("Folder of the application: shop, ./apps/shop, or .") });

const usage = `tenon new <folder> [--template=<${appTemplates.join("|")}>]`;
const namePrompt = { flag: "name", text: "Name of the application", validate: validateAppName };
const templatePrompt = {
  flag: "template",
  text: "Template",
  choices: [
    { value: "api", hint: "JSON over HTTP" },
    { value: "web", hint: "HTML pages" },
    { value: "cli", hint: "commands" },
    { value: "full", hint: "one set of services as all three, with users and accounts" },
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
    ":folder",
    { summary: "Create an application in this folder", params: AppParams, query: AppFlags },
    (ctx, { params, query }) => this.#create(ctx, query, params.folder),
  );

  routes() {
    return [{ path: "new", children: [this.create, this.createNamed] }];
  }

  async #create(ctx: Context, flags: Infer<typeof AppFlags>, path?: string) {
    const folder = resolve(flags.in ?? ".");
    if (this.#prompts.isTerminal()) this.#apps.checkFolder(folder); // before the prompts, which would be in vain
    const given = flags.name ?? (path === undefined ? undefined : toName(resolve(folder, path), path));
    const name = await this.#prompts.resolve(ctx, given, namePrompt, usage);
    const target = this.#apps.locate(folder, path ?? name);
    const template = await this.#prompts.resolve(ctx, flags.template, templatePrompt, usage);
    return this.#apps.create({
      name,
      target,
      template: template as AppTemplate, // oneOf has checked it
      lint: flags.no_lint !== true,
      accounts: flags.no_accounts !== true,
      install: flags.no_install !== true,
      signal: ctx.signal,
    });
  }
}

/** The name of the folder, if it can be the name of an application. */
function toName(target: string, path: string): string {
  const name = basename(target);
  const reason = validateAppName(name);
  if (reason === undefined || name === path) return name; // a name that is refused has its own message
  const message = `is required, because the name of the folder cannot be that of the application: it ${reason}`;
  throw new BindError([{ path: "name", rule: "name", message }]);
}
