import { resolve } from "node:path";
import { boolean, dto, endpoint, inject, routes, string } from "@tenon/core";
import { ModulesService } from "./modules.service.ts";
import { validateModuleName } from "./names.ts";
import { oneOf, Prompts } from "./prompts.ts";
import { type ModuleType, moduleTypes } from "./templates.ts";

const NewModuleFlags = dto({
  name: string().alias("n").describe("Name of the module, singular or plural: blog-post creates src/blog-posts"),
  type: string("oneof=plain resource")
    .alias("t")
    .describe("A resource has a table, and list, show, create, update and delete"),
  in: string().describe("Folder of the application; defaults to the current folder"),
  no_install: boolean().describe("Skip npm install, which runs when a dependency was added"),
});

const usage = `tenon g module --name=<name> --type=<${moduleTypes.join("|")}>`;
const namePrompt = { flag: "name", text: "Name of the module", validate: validateModuleName };
const typePrompt = { flag: "type", text: "Type: plain or resource", validate: oneOf(moduleTypes) };

export class ModulesController {
  readonly #modules = inject(ModulesService);
  readonly #prompts = inject(Prompts);

  routes() {
    return routes([
      { path: "g/module", handler: this.create },
      { path: "generate/module", handler: this.create },
    ]);
  }

  readonly create = endpoint(
    { summary: "Add a module to an application", query: NewModuleFlags },
    async (ctx, { query: flags }) => {
      const folder = resolve(flags.in ?? ".");
      if (this.#prompts.isTerminal()) this.#modules.checkFolder(folder); // before the prompts, which would be in vain
      const name = await this.#prompts.resolve(ctx, flags.name, namePrompt, usage);
      const type = await this.#prompts.resolve(ctx, flags.type, typePrompt, usage);
      return this.#modules.create({
        name,
        type: type as ModuleType, // oneOf has checked it
        folder,
        install: flags.no_install !== true,
        signal: ctx.signal,
      });
    },
  );
}
