import { resolve } from "node:path";
import { BindError, boolean, type Context, dto, endpoint, group, inject, routes, string } from "@tenon/core";
import { validateModuleName } from "../names.ts";
import { type PartKind, PartsService, partKinds } from "./parts.service.ts";

const PartFlags = dto({
  module: string()
    .alias("m")
    .describe("Module that declares it, such as blog-posts; defaults to that of the application"),
  in: string().describe("Folder of the application; defaults to the current folder"),
  no_install: boolean().describe("Accepted as in the other generators; nothing is installed"),
});

/** `tenon g controller|service|middleware|command|job <name>`. */
export class PartsController {
  readonly #parts = inject(PartsService);

  routes() {
    const commands = partKinds.map((kind) => ({ path: `${kind}/:name`, handler: this.#toHandler(kind) }));
    return routes([group("g", commands), group("generate", commands)]);
  }

  #toHandler(kind: PartKind) {
    return endpoint(
      { summary: `Add a ${kind} with its test to a module`, query: PartFlags },
      async (ctx: Context, { query: flags }) => {
        const name = ctx.param("name");
        check("params", "name", name);
        if (flags.module !== undefined) check("query", "module", flags.module);
        const lines = await this.#parts.create({ kind, name, module: flags.module, folder: resolve(flags.in ?? ".") });
        return [...lines].join("");
      },
    );
  }
}

function check(part: "params" | "query", path: string, name: string): void {
  const message = validateModuleName(name);
  if (message !== undefined) throw new BindError([{ in: part, path, rule: "name", message }]);
}
