import { type Context, dto, endpoint, form, inject, integer, routes } from "@tenon/core";
import { redirect } from "@tenon/web";
import { CreateSampleItemDTO, notFound, UpdateSampleItemDTO } from "./sample-items.dto.ts";
import { SampleItemsService } from "./sample-items.service.ts";

const pageSize = 20;
const ListQuery = dto({ page: integer("min=1", "max=1000000", "default=1") });

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
      query: ListQuery,
    },
    async (_, { query: { page } }) => {
      // one more than is shown tells whether there is a next page
      const found = await this.#sampleItems.list({ limit: pageSize + 1, offset: (page - 1) * pageSize });
      return { items: found.slice(0, pageSize), page, hasNext: found.length > pageSize };
    },
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
