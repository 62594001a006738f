import { type Context, HttpError, inject, routes } from "@tenon/core";
import { redirect } from "@tenon/web";
import { CreateSampleItemDTO, UpdateSampleItemDTO } from "./sample-items.dto.ts";
import { SampleItemsService } from "./sample-items.service.ts";

const longestList = 100;

export class SampleItemsPages {
  readonly #sampleItems = inject(SampleItemsService);

  routes() {
    return routes([
      { method: "GET", path: "/sample-items", handler: this.index },
      { method: "GET", path: "/sample-items/new", handler: this.new },
      { method: "POST", path: "/sample-items", handler: this.create },
      { method: "GET", path: "/sample-items/:id", handler: this.show },
      { method: "GET", path: "/sample-items/:id/edit", handler: this.edit },
      { method: "PUT", path: "/sample-items/:id", handler: this.update },
      { method: "GET", path: "/sample-items/:id/delete", handler: this.confirm },
      { method: "DELETE", path: "/sample-items/:id", handler: this.delete },
    ]);
  }

  index() {
    return this.#sampleItems.list(longestList);
  }

  new() {
    return {};
  }

  async create(ctx: Context) {
    const input = await ctx.bind(CreateSampleItemDTO);
    const { id } = await this.#sampleItems.create(input);
    await ctx.get("session").flash("done", "Sample item created.");
    return redirect(`/sample-items/${id}`);
  }

  show(ctx: Context) {
    return this.#find(ctx);
  }

  edit(ctx: Context) {
    return this.#find(ctx);
  }

  async update(ctx: Context) {
    const { id } = await this.#find(ctx);
    const input = await ctx.bind(UpdateSampleItemDTO);
    await this.#sampleItems.update(id, input);
    await ctx.get("session").flash("done", "Sample item changed.");
    return redirect(`/sample-items/${id}`);
  }

  confirm(ctx: Context) {
    return this.#find(ctx);
  }

  async delete(ctx: Context) {
    const { id } = await this.#find(ctx);
    await this.#sampleItems.delete(id);
    await ctx.get("session").flash("done", "Sample item deleted.");
    return redirect("/sample-items");
  }

  async #find(ctx: Context) {
    const found = await this.#sampleItems.find(ctx.param("id"));
    return found ?? notFound();
  }
}

function notFound(): never {
  throw new HttpError(404, "Sample item not found");
}
