import { type Context, dto, group, HttpError, type Infer, inject, integer, routes, takes } from "@tenon/core";
import { CreateSampleItemDTO, UpdateSampleItemDTO } from "./sample-items.dto.ts";
import { SampleItemsService } from "./sample-items.service.ts";

const ListFlags = dto({
  limit: integer("min=1", "max=1000").alias("l").describe("Number of rows to show; defaults to 20"),
});
type ListFlags = Infer<typeof ListFlags>;

export class SampleItemsCommands {
  readonly #sampleItems = inject(SampleItemsService);

  routes() {
    return routes([
      group("sample-items", [
        { path: "list", handler: takes(ListFlags, this.list) },
        { path: "show/:id", handler: this.show },
        { path: "create", handler: takes(CreateSampleItemDTO, this.create) },
        { path: "update/:id", handler: takes(UpdateSampleItemDTO, this.update) },
        { path: "delete/:id", handler: this.delete },
      ]),
    ]);
  }

  list(_: Context, { limit = 20 }: ListFlags) {
    return this.#sampleItems.list(limit);
  }

  async show(ctx: Context) {
    const found = await this.#sampleItems.find(ctx.param("id"));
    return found ?? notFound();
  }

  create(_: Context, input: CreateSampleItemDTO) {
    return this.#sampleItems.create(input);
  }

  async update(ctx: Context, input: UpdateSampleItemDTO) {
    const updated = await this.#sampleItems.update(ctx.param("id"), input);
    return updated ?? notFound();
  }

  async delete(ctx: Context) {
    const deleted = await this.#sampleItems.delete(ctx.param("id"));
    return deleted ? "deleted" : notFound();
  }
}

function notFound(): never {
  throw new HttpError(404, "Sample item not found");
}
