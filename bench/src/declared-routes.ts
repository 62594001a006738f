import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Options } from "./options.ts";
import { inTurn } from "./order.ts";
import { createFolder } from "./prepare.ts";
import { Progress } from "./progress.ts";
import { type Spread, spreadOf } from "./statistics.ts";
import { toTable } from "./table.ts";
import { type Compiled, compile, writeProject } from "./tsc.ts";

const controllers = 250;
/** What `route.get()` and its siblings may take of the time of records. */
const mostRatio = 1.2;

const root = fileURLToPath(new URL("../../", import.meta.url));

const shared = (index: number) => `
const Item = dto("Item${index}", {
  id: string("required"),
  title: string("required", "max=200"),
  kind: string("required", "oneof=note article"),
  likes: integer("required"),
  created_at: timestamp("required"),
});
const CreateItem = Item.pick("title", "kind").named("CreateItem${index}");
const Page = dto({ limit: integer("min=1", "default=20") });
const missing = { 404: "Item not found" } as const;

declare class Items {
  list(limit: number): Promise<Infer<typeof Item>[]>;
  find(id: string): Promise<Infer<typeof Item> | undefined>;
  create(author: string, item: Infer<typeof CreateItem>): Promise<Infer<typeof Item>>;
  delete(id: string): Promise<boolean>;
}
`;

/** The same four routes of a controller. */
const forms = {
  records: (index: number) => `
import { BearerAuth } from "@tenon/auth";
import { array, type Context, dto, endpoint, type Infer, inject, integer, type Routes, string, timestamp } from "@tenon/core";
${shared(index)}
export class ItemsController {
  readonly #items = inject(Items);
  readonly index = endpoint({ query: Page, returns: array(Item) }, (_, { query }) => this.#items.list(query.limit));
  readonly show = endpoint(
    { returns: Item, errors: missing },
    async (ctx: Context<"/items${index}/:id">) => (await this.#items.find(ctx.param("id"))) ?? ctx.fail(404),
  );
  readonly create = endpoint(
    { body: CreateItem, returns: { 201: Item } },
    (ctx: Context<"/items${index}">, { body }) => this.#items.create(ctx.get("user_id"), body),
  );
  readonly delete = endpoint(
    { returns: { 204: null }, errors: missing },
    async (ctx: Context<"/items${index}/:id">) => ((await this.#items.delete(ctx.param("id"))) ? undefined : ctx.fail(404)),
  );
  routes(): Routes {
    return [
      { method: "GET", path: "/items${index}", handler: this.index },
      { method: "GET", path: "/items${index}/:id", handler: this.show },
      { method: "POST", path: "/items${index}", handler: this.create, middlewares: [BearerAuth] },
      { method: "DELETE", path: "/items${index}/:id", handler: this.delete, middlewares: [BearerAuth] },
    ];
  }
}
`,
  "route.get()": (index: number) => `
import { BearerAuth } from "@tenon/auth";
import { array, dto, type Infer, inject, integer, route, string, timestamp } from "@tenon/core";
${shared(index)}
export class ItemsController {
  readonly #items = inject(Items);
  readonly index = route.get("/items${index}", { query: Page, returns: array(Item) }, (_, { query }) => this.#items.list(query.limit));
  readonly show = route.get(
    "/items${index}/:id",
    { returns: Item, errors: missing },
    async (ctx) => (await this.#items.find(ctx.param("id"))) ?? ctx.fail(404),
  );
  readonly create = route.post(
    "/items${index}",
    { middlewares: [BearerAuth], body: CreateItem, returns: { 201: Item } },
    (ctx, { body }) => this.#items.create(ctx.get("user_id"), body),
  );
  readonly delete = route.delete(
    "/items${index}/:id",
    { middlewares: [BearerAuth], returns: { 204: null }, errors: missing },
    async (ctx) => ((await this.#items.delete(ctx.param("id"))) ? undefined : ctx.fail(404)),
  );
  routes() {
    return [this.index, this.show, this.create, this.delete];
  }
}
`,
};

export interface FormResult {
  readonly form: string;
  /** Seconds of processor time of tsc. */
  readonly processor: Spread;
  readonly instantiations: number;
}

/** The time of tsc for 1,000 routes with contracts, declared in both forms. */
export function measureForms({ rounds }: Pick<Options, "rounds">): FormResult[] {
  const folder = createFolder();
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const projects = Object.entries(forms).map(([form, toText], index) => {
    const files = Array.from({ length: controllers }, (_, n) => [`items${n}.controller.ts`, toText(n)]);
    const project = join(folder, String(index));
    writeProject(project, Object.fromEntries(files), { customConditions: ["@tenon/source"] });
    return { form, project, runs: [] as Compiled[] };
  });
  const progress = new Progress(rounds * projects.length);
  for (let round = 0; round < rounds; round++) {
    for (const { form, project, runs } of inTurn(projects, round)) {
      progress.show("tsc", `round ${round + 1}, ${form}`);
      runs.push(compile(project));
      progress.step();
    }
  }
  progress.end();
  return projects.map(({ form, runs }) => ({
    form,
    processor: spreadOf(runs.map(({ processor }) => processor)),
    instantiations: runs[0]?.instantiations ?? 0,
  }));
}

export function toFormTable(results: readonly FormResult[]): string {
  const rows = results.map(({ form, processor: { median, low, high }, instantiations }) => {
    return [form, median.toFixed(2), `${low.toFixed(2)}–${high.toFixed(2)}`, instantiations];
  });
  const table = toTable(["1,000 routes", "processor s", "spread", "instantiations"], rows);
  return `${table}\n\nroute.get() takes ${ratioOf(results).toFixed(2)} of the time of records (at most ${mostRatio})`;
}

export function isTooSlow(results: readonly FormResult[]): boolean {
  return ratioOf(results) > mostRatio;
}

function ratioOf([records, declared]: readonly FormResult[]): number {
  return (declared?.processor.median ?? Number.NaN) / (records?.processor.median ?? Number.NaN);
}
