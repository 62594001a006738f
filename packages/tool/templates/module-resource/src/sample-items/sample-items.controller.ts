import { array, type Context, endpoint, inject, routes } from "@tenon/core";
import { CreateSampleItemDTO, notFound, PageQuery, UpdateSampleItemDTO } from "./sample-items.dto.ts";
import { SampleItem } from "./sample-items.record.ts";
import { SampleItemsService } from "./sample-items.service.ts";

export class SampleItemsController {
  readonly #sampleItems = inject(SampleItemsService);

  routes() {
    return routes([
      { method: "GET", path: "/sample-items", handler: this.index },
      { method: "GET", path: "/sample-items/:id", handler: this.show },
      { method: "POST", path: "/sample-items", handler: this.create },
      { method: "PUT", path: "/sample-items/:id", handler: this.update },
      { method: "DELETE", path: "/sample-items/:id", handler: this.delete },
    ]);
  }

  readonly index = endpoint(
    {
      summary: "List sample items, newest first",
      query: PageQuery,
      returns: array(SampleItem),
    },
    (_, { query }) => this.#sampleItems.list(query),
  );

  readonly show = endpoint(
    {
      summary: "Show a sample item",
      returns: SampleItem,
      errors: notFound,
    },
    async (ctx: Context<"/sample-items/:id">) => (await this.#sampleItems.find(ctx.param("id"))) ?? ctx.fail(404),
  );

  readonly create = endpoint(
    {
      summary: "Create a sample item",
      body: CreateSampleItemDTO,
      returns: { 201: SampleItem },
    },
    (_, { body }) => this.#sampleItems.create(body),
  );

  readonly update = endpoint(
    {
      summary: "Change a sample item",
      body: UpdateSampleItemDTO,
      returns: SampleItem,
      errors: notFound,
    },
    async (ctx: Context<"/sample-items/:id">, { body }) => {
      const updated = await this.#sampleItems.update(ctx.param("id"), body);
      return updated ?? ctx.fail(404);
    },
  );

  readonly delete = endpoint(
    {
      summary: "Delete a sample item",
      returns: { 204: null },
      errors: notFound,
    },
    async (ctx: Context<"/sample-items/:id">) => {
      const deleted = await this.#sampleItems.delete(ctx.param("id"));
      return deleted ? undefined : ctx.fail(404);
    },
  );
}
