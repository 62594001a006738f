import { type Context, endpoint, form, inject, routes } from "@tenon/core";
import { redirect } from "@tenon/web";
import { CreateSampleItemDTO, notFound, PageQuery, UpdateSampleItemDTO } from "./sample-items.dto.ts";
import { SampleItemsService } from "./sample-items.service.ts";

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

  readonly index = endpoint(
    {
      summary: "List sample items, newest first",
      query: PageQuery,
    },
    (_, { query }) => this.#sampleItems.list(query),
  );

  readonly new = endpoint({ summary: "A form for a new one" }, () => ({}));

  readonly create = endpoint(
    {
      summary: "Create a sample item",
      body: form(CreateSampleItemDTO),
    },
    async (ctx, { body }) => {
      const { id } = await this.#sampleItems.create(body);
      await ctx.get("session").flash("done", "Sample item created.");
      return redirect(`/sample-items/${id}`);
    },
  );

  readonly show = endpoint({ summary: "Show one", errors: notFound }, (ctx) => this.#find(ctx));

  readonly edit = endpoint({ summary: "A form to change one", errors: notFound }, (ctx) => this.#find(ctx));

  readonly update = endpoint(
    {
      summary: "Change a sample item",
      body: form(UpdateSampleItemDTO),
      errors: notFound,
    },
    async (ctx: Context<"/sample-items/:id">, { body }) => {
      const updated = await this.#sampleItems.update(ctx.param("id"), body);
      if (updated === undefined) return ctx.fail(404);
      await ctx.get("session").flash("done", "Sample item changed.");
      return redirect(`/sample-items/${updated.id}`);
    },
  );

  readonly confirm = endpoint({ summary: "Ask before one is deleted", errors: notFound }, (ctx) => this.#find(ctx));

  readonly delete = endpoint(
    {
      summary: "Delete a sample item",
      errors: notFound,
    },
    async (ctx: Context<"/sample-items/:id">) => {
      const deleted = await this.#sampleItems.delete(ctx.param("id"));
      if (!deleted) return ctx.fail(404);
      await ctx.get("session").flash("done", "Sample item deleted.");
      return redirect("/sample-items");
    },
  );

  async #find(ctx: Context) {
    const found = await this.#sampleItems.find(ctx.param("id"));
    return found ?? ctx.fail(404);
  }
}
