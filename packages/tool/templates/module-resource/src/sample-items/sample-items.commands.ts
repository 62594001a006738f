import { type Context, endpoint, group, inject, routes } from "@tenon/core";
import { CreateSampleItemDTO, notFound, PageQuery, UpdateSampleItemDTO } from "./sample-items.dto.ts";
import { SampleItemsService } from "./sample-items.service.ts";

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
    {
      summary: "List sample items, newest first",
      query: PageQuery,
    },
    (_, { query }) => this.#sampleItems.list(query),
  );

  readonly show = endpoint(
    {
      summary: "Show a sample item",
      errors: notFound,
    },
    async (ctx: Context<"sample-items/show/:id">) => (await this.#sampleItems.find(ctx.param("id"))) ?? ctx.fail(404),
  );

  readonly create = endpoint(
    {
      summary: "Create a sample item",
      body: CreateSampleItemDTO,
    },
    (_, { body }) => this.#sampleItems.create(body),
  );

  readonly update = endpoint(
    {
      summary: "Change a sample item",
      body: UpdateSampleItemDTO,
      errors: notFound,
    },
    async (ctx: Context<"sample-items/update/:id">, { body }) => {
      const updated = await this.#sampleItems.update(ctx.param("id"), body);
      return updated ?? ctx.fail(404);
    },
  );

  readonly delete = endpoint(
    {
      summary: "Delete a sample item",
      errors: notFound,
    },
    async (ctx: Context<"sample-items/delete/:id">) => {
      const deleted = await this.#sampleItems.delete(ctx.param("id"));
      return deleted ? "deleted" : ctx.fail(404);
    },
  );
}
