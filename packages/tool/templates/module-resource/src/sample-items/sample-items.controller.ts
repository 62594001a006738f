import { type Context, HttpError, inject, routes } from "@tenon/core";
import { CreateSampleItemDTO, UpdateSampleItemDTO } from "./sample-items.dto.ts";
import { SampleItemsService } from "./sample-items.service.ts";

const longestList = 100;

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

  index() {
    return this.#sampleItems.list(longestList);
  }

  async show(ctx: Context<"/sample-items/:id">) {
    const found = await this.#sampleItems.find(ctx.param("id"));
    return found ?? notFound();
  }

  async create(ctx: Context) {
    const input = await ctx.bind(CreateSampleItemDTO);
    const created = await this.#sampleItems.create(input);
    return ctx.status(201).json(created);
  }

  async update(ctx: Context<"/sample-items/:id">) {
    const input = await ctx.bind(UpdateSampleItemDTO);
    const updated = await this.#sampleItems.update(ctx.param("id"), input);
    return updated ?? notFound();
  }

  async delete(ctx: Context<"/sample-items/:id">) {
    const deleted = await this.#sampleItems.delete(ctx.param("id"));
    if (!deleted) notFound();
  }
}

function notFound(): never {
  throw new HttpError(404, "Sample item not found");
}
