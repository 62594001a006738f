import { type Context, dto, inject, route } from "@tenon/core";
import { placeFlags, toPlace } from "./place.ts";
import { RemoteCommands } from "./remote-commands.ts";

const PlaceFlags = dto(placeFlags);

/** The commands of the application in the current folder, whose entry points may have no platform for commands. */
export class RunController {
  readonly #commands = inject(RemoteCommands);

  readonly list = route.command(
    "run",
    { summary: "List the commands of the application", query: PlaceFlags },
    (ctx, { query }) => this.#commands.run(toPlace(ctx, query), ["--help"]),
  );

  readonly run = route.command(
    "run/*",
    { summary: "Run a command of the application; flags of it follow after --", query: PlaceFlags },
    (ctx, { query }) => this.#run(ctx, query),
  );

  #run(ctx: Context, flags: { readonly entry?: string; readonly in?: string }): Promise<Buffer> {
    return this.#commands.run(toPlace(ctx, flags), [...ctx.rest(), ...(ctx.query("json") === "" ? [] : ["--json"])]);
  }

  routes() {
    return [this.list, this.run];
  }
}
