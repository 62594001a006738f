import { resolve } from "node:path";
import { boolean, type Context, dto, type Infer, inject, type Routes, string, takes } from "@tenon/core";
import { ModulesService } from "./modules.service.ts";
import { findModuleNameFault } from "./names.ts";
import { oneOf, Questions } from "./questions.ts";
import { type ModuleType, moduleTypes } from "./templates.ts";

const NewModuleFlags = dto({
  name: string().short("n").about("What it is about: blog-post makes src/blog-posts"),
  type: string("oneof=plain resource").short("t").about("A resource has a table and five routes"),
  in: string().about("The folder of the application; the current one unless told otherwise"),
  install: boolean().about("Run npm install when a dependency was added; --no-install leaves it out"),
});
type NewModuleFlags = Infer<typeof NewModuleFlags>;

const usage = "tenon g module --name=<name> --type=<plain|resource>";

export class ModulesController {
  readonly #modules = inject(ModulesService);
  readonly #questions = inject(Questions);

  routes(): Routes {
    const handler = takes(NewModuleFlags, this.create);
    return [
      { path: "g/module", handler },
      { path: "generate/module", handler },
    ];
  }

  async create(ctx: Context, flags: NewModuleFlags) {
    const naming = { flag: "name", text: "Name of the module", findFault: findModuleNameFault };
    const choosing = { flag: "type", text: "Type, plain or resource", findFault: oneOf(moduleTypes) };
    const name = await this.#questions.settle(ctx, flags.name, naming, usage);
    const type = await this.#questions.settle(ctx, flags.type, choosing, usage);
    return this.#modules.create({
      name,
      type: type as ModuleType, // oneOf has looked
      folder: resolve(flags.in ?? "."),
      install: flags.install ?? true,
      signal: ctx.signal,
    });
  }
}
