import { dto, endpoint, group, inject, integer, routes } from "@tenon/core";
import { CreateSampleItemDTO, UpdateSampleItemDTO } from "./sample-items.dto.ts";
import { SampleItemsService } from "./sample-items.service.ts";

const ListFlags = dto({
  limit: integer("min=1", "max=1000").alias("l").describe("Number of rows to show; defaults to 20"),
});
const errors = { 404: "Sample item not found" } as const;

export class SampleItemsCommands {
  readonly #sampleItems = inject(SampleItemsService);

  routes() {
    return routes([
      group("sample-items", [
        { path: "list", handler: this.list },
        { path: "show/:id", handler: this.show },
        { path: "create", handler: this.create },
        { path: "update/:id", handler: this.update },
        { path: "delete/:id", handler: this.delete },
      ]),
    ]);
  }

  readonly list = endpoint(
    { summary: "List sample items, newest first", query: ListFlags },
    (_, { query: { limit = 20 } }) => this.#sampleItems.list(limit),
  );

  readonly show = endpoint({ summary: "Show a sample item", errors }, async (ctx) => {
    const found = await this.#sampleItems.find(ctx.param("id"));
    return found ?? ctx.fail(404);
  });

  readonly create = endpoint({ summary: "Create a sample item", body: CreateSampleItemDTO }, (_, { body }) =>
    this.#sampleItems.create(body),
  );

  readonly update = endpoint(
    { summary: "Change a sample item", body: UpdateSampleItemDTO, errors },
    async (ctx, { body }) => {
      const updated = await this.#sampleItems.update(ctx.param("id"), body);
      return updated ?? ctx.fail(404);
    },
  );

  readonly delete = endpoint({ summary: "Delete a sample item", errors }, async (ctx) => {
    const deleted = await this.#sampleItems.delete(ctx.param("id"));
    return deleted ? "deleted" : ctx.fail(404);
  });
}
