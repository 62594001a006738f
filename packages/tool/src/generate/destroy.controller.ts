import { resolve } from "node:path";
import { boolean, dto, endpoint, inject, routes, string } from "@tenon/core";
import { DestroyService } from "./destroy.service.ts";

const DestroyFlags = dto({
  force: boolean("default=false").alias("f").describe("Also remove files that were changed, or that others import"),
  in: string().describe("Folder of the application; defaults to the current folder"),
  no_install: boolean().describe("Accepted as in the generators; nothing is installed"),
});
const Params = dto({
  kind: string("required", "oneof=module resource controller service middleware command job channel"),
  name: string("required"),
});

/** `tenon destroy <kind> <name>` and `tenon destroy auth`. */
export class DestroyController {
  readonly #service = inject(DestroyService);

  routes() {
    return routes([
      { path: "destroy/:kind/:name", handler: this.destroy },
      { path: "destroy/auth", handler: this.destroyAuth },
    ]);
  }

  readonly destroy = endpoint(
    { summary: "Remove what was generated", params: Params, query: DestroyFlags },
    (_, { params: { kind, name }, query: { force, in: folder } }) =>
      this.#service.destroy({ kind, name, force, folder: resolve(folder ?? ".") }).join(""),
  );

  readonly destroyAuth = endpoint(
    { summary: "Remove the users, registration and login of g auth", query: DestroyFlags },
    (_, { query: { force, in: folder } }) =>
      this.#service.destroy({ kind: "auth", name: "users", force, folder: resolve(folder ?? ".") }).join(""),
  );
}
