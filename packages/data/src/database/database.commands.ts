import { boolean, dto, inject, route, string } from "@tenon/core";
import { Migrations } from "./migrations.ts";
import { Seeds } from "./seeds.ts";

const DownQuery = dto({
  to: string().describe("The migration that stays the last one applied; without it only the last one is reverted"),
});
const SeedQuery = dto({
  only: string().describe("The name of one seed; without it all of them run"),
  again: boolean().describe("Also runs seeds that have run before"),
});

/** `migrate up`, `migrate down`, `migrate status` and `db seed` on the CLI platform. Declare it to add them. */
export class DatabaseCommands {
  readonly #migrations = inject(Migrations);
  readonly #seeds = inject(Seeds);

  readonly up = route.command("migrate/up", { summary: "Run the pending migrations" }, async (ctx) => {
    const ran = [...this.#migrations.ranOnStart, ...(await this.#migrations.up())];
    return ctx.status(200).send(describe("migrated", ran));
  });

  readonly down = route.command(
    "migrate/down",
    { summary: "Revert the last migration", query: DownQuery },
    async (ctx, { query: { to } }) => {
      const reverted = await this.#migrations.down(to === undefined ? {} : { to });
      const runAgain = this.#migrations.runOnStart && reverted.length > 0;
      const note = runAgain ? "\nThe next start runs them again: set migrateOnStart to false to prevent it." : "";
      return ctx.status(200).send(`${describe("reverted", reverted)}${note}`);
    },
  );

  readonly status = route.command("migrate/status", { summary: "List the migrations, applied and pending" }, () =>
    this.#migrations.status(),
  );

  readonly seed = route.command(
    "db/seed",
    { summary: "Write data for development", query: SeedQuery },
    async (ctx, { query: { only, again = false } }) => {
      const ran = await this.#seeds.run({ again, ...(only === undefined ? {} : { only: [only] }) });
      return ctx.status(200).send(describe("seeded", ran));
    },
  );

  routes() {
    return [this.up, this.down, this.status, this.seed];
  }
}

function describe(done: string, names: readonly string[]): string {
  return `${done}: ${names.join(", ") || "nothing"}`;
}
