import { resolve } from "node:path";
import { boolean, type Context, dto, type Infer, inject, routes, string, takes } from "@tenon/core";
import { ModulesService } from "./modules.service.ts";
import { findModuleNameFault } from "./names.ts";
import { oneOf, Questions } from "./questions.ts";
import { type ModuleType, moduleTypes } from "./templates.ts";

const NewModuleFlags = dto({
  name: string().alias("n").describe("What it is about: blog-post makes src/blog-posts"),
  type: string("oneof=plain resource")
    .alias("t")
    .describe("A resource has a table, and list, show, create, update and delete"),
  in: string().describe("The folder of the application; the current one unless told otherwise"),
  no_install: boolean().describe("Leave npm install out, which runs when a dependency was added"),
});
type NewModuleFlags = Infer<typeof NewModuleFlags>;

const usage = `tenon g module --name=<name> --type=<${moduleTypes.join("|")}>`;
const naming = { flag: "name", text: "Name of the module", findFault: findModuleNameFault };
const choosing = { flag: "type", text: "Type: plain or resource", findFault: oneOf(moduleTypes) };

export class ModulesController {
  readonly #modules = inject(ModulesService);
  readonly #questions = inject(Questions);

  routes() {
    const handler = takes(NewModuleFlags, this.create);
    return routes([
      { path: "g/module", handler },
      { path: "generate/module", handler },
    ]);
  }

  async create(ctx: Context, flags: NewModuleFlags) {
    const folder = resolve(flags.in ?? ".");
    if (this.#questions.isTerminal()) this.#modules.checkFolder(folder); // or it would ask for nothing
    const name = await this.#questions.settle(ctx, flags.name, naming, usage);
    const type = await this.#questions.settle(ctx, flags.type, choosing, usage);
    return this.#modules.create({
      name,
      type: type as ModuleType, // oneOf has looked
      folder,
      install: flags.no_install !== true,
      signal: ctx.signal,
    });
  }
}
