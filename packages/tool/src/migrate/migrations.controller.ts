import { boolean, type Context, dto, inject, route, string } from "@tenon/core";
import { placeFlags, toPlace } from "../run/place.ts";
import { RemoteCommands } from "../run/remote-commands.ts";
import { makeMigration } from "./migration-file.ts";

const PlaceFlags = dto(placeFlags);
const DownFlags = dto({
  to: string().describe("The migration that stays the last one applied; without it only the last one is reverted"),
  ...placeFlags,
});
const SeedFlags = dto({
  only: string().describe("The name of one seed; without it all of them run"),
  again: boolean().describe("Also runs seeds that have run before"),
  ...placeFlags,
});
const MakeFlags = dto({ in: placeFlags.in });
const Named = dto({ name: string("required").describe("What the migration does: add-status-to-posts") });

/** The database commands of the application in the current folder. */
export class MigrationsController {
  readonly #commands = inject(RemoteCommands);

  readonly up = route.command(
    "migrate/up",
    { summary: "Run the pending migrations", query: PlaceFlags },
    (ctx, { query }) => this.#run(ctx, query, ["migrate", "up"]),
  );

  readonly down = route.command(
    "migrate/down",
    { summary: "Revert the last migration", query: DownFlags },
    (ctx, { query }) =>
      this.#run(ctx, query, ["migrate", "down", ...(query.to === undefined ? [] : [`--to=${query.to}`])]),
  );

  readonly status = route.command(
    "migrate/status",
    { summary: "List the migrations, applied and pending", query: PlaceFlags },
    (ctx, { query }) => this.#run(ctx, query, ["migrate", "status"]),
  );

  readonly make = route.command(
    "migrate/make/:name",
    { summary: "Write a migration and add it to the application", params: Named, query: MakeFlags },
    (ctx, { params: { name }, query }) => makeMigration(toPlace(ctx, query).folder, name),
  );

  readonly seed = route.command(
    "db/seed",
    { summary: "Write data for development", query: SeedFlags },
    (ctx, { query }) =>
      this.#run(ctx, query, [
        "db",
        "seed",
        ...(query.only === undefined ? [] : [`--only=${query.only}`]),
        ...(query.again === true ? ["--again"] : []),
      ]),
  );

  #run(ctx: Context, flags: { readonly entry?: string; readonly in?: string }, argv: string[]): Promise<Buffer> {
    return this.#commands.runOnDatabase(toPlace(ctx, flags), ctx.query("json") === "" ? argv : [...argv, "--json"]);
  }

  routes() {
    return [this.up, this.down, this.status, this.make, this.seed];
  }
}
