{% const guard = guards.routes ? `middlewares: [${guards.routes}], ` : ""; -%}
{% const ownerGuard = `middlewares: [${guards.routes}, SampleItemOwner], `; -%}
{% const access = guard ? `${guard}access: "users", ` : isPublic ? 'access: "public", ' : ""; -%}
{% const one = owner ? ownerGuard : access; -%}
{% if (guards.routes) { -%}
import { {%= owner ? sortNames([guards.routes, "loaded"]) : guards.routes %} } from "@tenon/auth";
{% } -%}
import { inject, route } from "@tenon/core";
import { PageQuery, page } from "@tenon/data";
import { {%= sortNames(["CreateSampleItem", "notFound", "SampleItem", "UpdateSampleItem"]) %} } from "./sample-items.dto.ts";
{% if (owner) { -%}
import { SampleItemOwner } from "./sample-items.owner.ts";
{% } -%}
import { SampleItemsService } from "./sample-items.service.ts";

export class SampleItemsController {
  readonly #sampleItems = inject(SampleItemsService);

{% if (owner) { -%}
  readonly index = route.get("/sample-items", { {%= guard %}summary: "List your sample items, newest first", query: PageQuery, returns: page(SampleItem) }, (ctx, { query }) => this.#sampleItems.list(ctx.get("user_id"), query));

  readonly show = route.get("/sample-items/:id", { {%= ownerGuard %}summary: "Show a sample item", returns: SampleItem }, (ctx) => loaded(ctx, SampleItemOwner));

  readonly create = route.post("/sample-items", { {%= guard %}summary: "Create a sample item", body: CreateSampleItem, returns: { 201: SampleItem } }, (ctx, { body }) => this.#sampleItems.create(ctx.get("user_id"), body));
{% } else { -%}
  readonly index = route.get("/sample-items", { {%= access %}summary: "List sample items, newest first", query: PageQuery, returns: page(SampleItem) }, (_, { query }) => this.#sampleItems.list(query));

  readonly show = route.get("/sample-items/:id", { {%= access %}summary: "Show a sample item", returns: SampleItem, errors: notFound }, async (ctx) => (await this.#sampleItems.find(ctx.param("id"))) ?? ctx.fail(404));

  readonly create = route.post("/sample-items", { {%= owner ? guard : access %}summary: "Create a sample item", body: CreateSampleItem, returns: { 201: SampleItem } }, (_, { body }) => this.#sampleItems.create(body));
{% } -%}

  readonly update = route.patch("/sample-items/:id", { {%= one %}summary: "Change a sample item", body: UpdateSampleItem, returns: SampleItem, errors: notFound }, async (ctx, { body }) => (await this.#sampleItems.update(ctx.param("id"), body)) ?? ctx.fail(404));

  readonly delete = route.delete("/sample-items/:id", { {%= one %}summary: "Delete a sample item", returns: { 204: null }, errors: notFound }, async (ctx) => {
    const deleted = await this.#sampleItems.delete(ctx.param("id"));
    return deleted ? undefined : ctx.fail(404);
  });

  routes() {
    return [this.index, this.show, this.create, this.update, this.delete];
  }
}
