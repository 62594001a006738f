import { dto, inject, integer, route } from "@tenon/core";
import { Migrations } from "@tenon/data";
import { Backup } from "./backup.ts";
import { Seed } from "./seed.ts";

const SeedDatabase = dto({
  posts: integer("min=1", "max=1000000").describe("How many posts to write; defaults to 10000"),
});

/** Commands for the database. */
export class DatabaseCommands {
  readonly #migrations = inject(Migrations);
  readonly #seed = inject(Seed);
  readonly #backup = inject(Backup);

  /** Every command migrates when it starts: this prints what was done. */
  readonly migrate = route.command("db/migrate", { summary: "Migrate the database" }, (ctx) => {
    const ran = this.#migrations.ranOnStart;
    return ctx.status(200).send(ran.length === 0 ? "nothing to migrate" : `migrated: ${ran.join(", ")}`);
  });

  readonly seed = route.command(
    "db/seed",
    { summary: "Write sample users and posts", query: SeedDatabase },
    async (ctx, { query: { posts = 10_000 } }) => {
      const progress = ctx.progress(posts, "posts");
      const written = await this.#seed.write(posts, ctx.signal, (count) => progress.advance(count));
      progress.done();
      return ctx.status(200).send(`${written} posts written`);
    },
  );

  /** Consistent, also while the service runs. */
  readonly backup = route.command(
    "db/backup/:file",
    { summary: "Copy the SQLite database to a file, also while the service runs" },
    async (ctx) => {
      const file = ctx.param("file");
      const bytes = await this.#backup.write(file);
      return ctx.status(200).send(`${file}: ${(bytes / 2 ** 20).toFixed(1)} MB`);
    },
  );

  routes() {
    return [this.migrate, this.seed, this.backup];
  }
}
