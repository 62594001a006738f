{% const guard = guards.pages ? "middlewares: [RequireLogin], " : ""; -%}
{% const ownerGuard = "middlewares: [RequireLogin, SampleItemOwner], "; -%}
{% const access = guard ? `${guard}access: "users", ` : isPublic ? 'access: "public", ' : ""; -%}
{% const one = owner ? ownerGuard : access; -%}
{% if (owner) { -%}
import { loaded } from "@tenon/auth";
{% } -%}
import { {% if (!owner) { %}type Context, {% } %}inject, route } from "@tenon/core";
import { PageQuery } from "@tenon/data";
import { redirect, view } from "@tenon/web";
{% if (guards.pages) { -%}
import { RequireLogin } from "../users/require-login.ts";
{% } -%}
import { CreateSampleItem, notFound } from "./sample-items.dto.ts";
{% if (owner) { -%}
import { SampleItemOwner } from "./sample-items.owner.ts";
{% } -%}
import { SampleItemsService } from "./sample-items.service.ts";

export class SampleItemsPages {
  readonly #sampleItems = inject(SampleItemsService);

{% if (owner) { -%}
  readonly index = route.get("/sample-items", { {%= guard %}summary: "List your sample items, newest first", query: PageQuery }, async (ctx, { query }) => view("sample-items/index", await this.#sampleItems.list(ctx.get("user_id"), query)));
{% } else { -%}
  readonly index = route.get("/sample-items", { {%= access %}summary: "List sample items, newest first", query: PageQuery }, async (_, { query }) => view("sample-items/index", await this.#sampleItems.list(query)));
{% } -%}

{% if (choices.length > 0) { -%}
  readonly new = route.get("/sample-items/new", { {%= owner ? guard : access %}summary: "A form for a new one" }, async () => {
    return view("sample-items/new", { formChoices: await this.#sampleItems.findChoices() });
  });
{% } else { -%}
  readonly new = route.get("/sample-items/new", { {%= owner ? guard : access %}summary: "A form for a new one" }, () => view("sample-items/new"));
{% } -%}

  readonly create = route.post("/sample-items", { {%= owner ? guard : access %}summary: "Create a sample item", body: { form: CreateSampleItem } }, async (ctx, { body }) => {
    const { id } = await this.#sampleItems.create({% if (owner) { %}ctx.get("user_id"), {% } %}body);
    await ctx.get("session").flash("done", "Sample item created.");
    return redirect(`/sample-items/${id}`);
  });

{% if (shown.length > 0) { -%}
  readonly show = route.get("/sample-items/:id", { {%= one %}summary: "Show one", errors: notFound }, async (ctx) => {
    const found = await this.#sampleItems.findWithNames(ctx.param("id"));
    return found === undefined ? ctx.fail(404) : view("sample-items/show", found);
  });
{% } else if (owner) { -%}
  readonly show = route.get("/sample-items/:id", { {%= ownerGuard %}summary: "Show one" }, (ctx) => view("sample-items/show", loaded(ctx, SampleItemOwner)));
{% } else { -%}
  readonly show = route.get("/sample-items/:id", { {%= access %}summary: "Show one", errors: notFound }, (ctx) => this.#show(ctx, "show"));
{% } -%}

{% if (owner && choices.length > 0) { -%}
  readonly edit = route.get("/sample-items/:id/edit", { {%= ownerGuard %}summary: "A form to change one" }, async (ctx) => {
    return view("sample-items/edit", { ...loaded(ctx, SampleItemOwner), formChoices: await this.#sampleItems.findChoices() });
  });
{% } else if (owner) { -%}
  readonly edit = route.get("/sample-items/:id/edit", { {%= ownerGuard %}summary: "A form to change one" }, (ctx) => view("sample-items/edit", loaded(ctx, SampleItemOwner)));
{% } else if (choices.length > 0) { -%}
  readonly edit = route.get("/sample-items/:id/edit", { {%= one %}summary: "A form to change one", errors: notFound }, async (ctx) => {
    const found = await this.#sampleItems.find(ctx.param("id"));
    if (found === undefined) return ctx.fail(404);
    return view("sample-items/edit", { ...found, formChoices: await this.#sampleItems.findChoices() });
  });
{% } else { -%}
  readonly edit = route.get("/sample-items/:id/edit", { {%= one %}summary: "A form to change one", errors: notFound }, (ctx) => this.#show(ctx, "edit"));
{% } -%}

  // the whole form: a box that is not ticked is absent, and then false
  readonly update = route.put("/sample-items/:id", { {%= one %}summary: "Change a sample item", body: { form: CreateSampleItem }, errors: notFound }, async (ctx, { body }) => {
    const updated = await this.#sampleItems.update(ctx.param("id"), body);
    if (updated === undefined) return ctx.fail(404);
    await ctx.get("session").flash("done", "Sample item changed.");
    return redirect(`/sample-items/${updated.id}`);
  });

{% if (owner) { -%}
  readonly confirm = route.get("/sample-items/:id/delete", { {%= ownerGuard %}summary: "Ask before one is deleted" }, (ctx) => view("sample-items/confirm", loaded(ctx, SampleItemOwner)));
{% } else { -%}
  readonly confirm = route.get("/sample-items/:id/delete", { {%= one %}summary: "Ask before one is deleted", errors: notFound }, (ctx) => this.#show(ctx, "confirm"));
{% } -%}

  readonly delete = route.delete("/sample-items/:id", { {%= one %}summary: "Delete a sample item", errors: notFound }, async (ctx) => {
    const deleted = await this.#sampleItems.delete(ctx.param("id"));
    if (!deleted) return ctx.fail(404);
    await ctx.get("session").flash("done", "Sample item deleted.");
    return redirect("/sample-items");
  });

  routes() {
    return [this.index, this.new, this.create, this.show, this.edit, this.update, this.confirm, this.delete];
  }
{% if (!owner) { -%}

  async #show(ctx: Context, name: string) {
    const found = await this.#sampleItems.find(ctx.param("id"));
    return found === undefined ? ctx.fail(404) : view(`sample-items/${name}`, found);
  }
{% } -%}
}
