import { dto, endpoint, inject, routes, string } from "@tenon/core";
import { CommandCatalog } from "./command-catalog.ts";
import { type Shell, toCompletionScript } from "./completion.ts";
import { toPlaces } from "./completion-places.ts";

const ShellName = dto({ shell: string("required", "oneof=bash zsh fish").describe("The shell that reads the script") });

export class CompletionController {
  readonly #catalog = inject(CommandCatalog);

  routes() {
    return routes([{ path: "completion/:shell", handler: this.print }]);
  }

  readonly print = endpoint(
    { summary: "Print a script that completes commands and flags", params: ShellName },
    (_ctx, { params }) => {
      const script = toCompletionScript(params.shell as Shell, toPlaces(this.#catalog.commands())); // the tag has checked it
      return Buffer.from(script); // bytes, because --json would quote a text
    },
  );
}
