{% const guard = guards.routes ? `middlewares: [${guards.routes}], ` : ""; -%}
{% const ownerGuard = owner ? `middlewares: [${guards.routes}, SampleItemOwner], ` : guard; -%}
{% if (guards.routes) { -%}
import { {%= guards.routes %} } from "@tenon/auth";
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

  readonly index = route.get("/sample-items", { summary: "List sample items, newest first", query: PageQuery, returns: page(SampleItem) }, (_, { query }) => this.#sampleItems.list(query));

  readonly show = route.get("/sample-items/:id", { summary: "Show a sample item", returns: SampleItem, errors: notFound }, async (ctx) => (await this.#sampleItems.find(ctx.param("id"))) ?? ctx.fail(404));

{% if (owner) { -%}
  readonly create = route.post("/sample-items", { {%= guard %}summary: "Create a sample item", body: CreateSampleItem, returns: { 201: SampleItem } }, (ctx, { body }) => this.#sampleItems.create(ctx.get("user_id"), body));
{% } else { -%}
  readonly create = route.post("/sample-items", { {%= guard %}summary: "Create a sample item", body: CreateSampleItem, returns: { 201: SampleItem } }, (_, { body }) => this.#sampleItems.create(body));
{% } -%}

  readonly update = route.patch("/sample-items/:id", { {%= ownerGuard %}summary: "Change a sample item", body: UpdateSampleItem, returns: SampleItem, errors: notFound }, async (ctx, { body }) => (await this.#sampleItems.update(ctx.param("id"), body)) ?? ctx.fail(404));

  readonly delete = route.delete("/sample-items/:id", { {%= ownerGuard %}summary: "Delete a sample item", returns: { 204: null }, errors: notFound }, async (ctx) => {
    const deleted = await this.#sampleItems.delete(ctx.param("id"));
    return deleted ? undefined : ctx.fail(404);
  });

  routes() {
    return [this.index, this.show, this.create, this.update, this.delete];
  }
}
