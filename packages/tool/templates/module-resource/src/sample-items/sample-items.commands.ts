import { dto, inject, integer, route{% if (owner) { %}, string{% } %} } from "@tenon/core";
{% if (owner) { -%}
import { UsersService } from "../users/users.service.ts";
{% } -%}
import { CreateSampleItem, notFound, UpdateSampleItem } from "./sample-items.dto.ts";
import { SampleItemsService } from "./sample-items.service.ts";

const ListQuery = dto({
  limit: integer("min=1", "max=1000", "default=20").alias("l").describe("How many to list; 20 by default"),
});

export class SampleItemsCommands {
  readonly #sampleItems = inject(SampleItemsService);
{% if (owner) { -%}
  readonly #users = inject(UsersService);
{% } -%}

  readonly list = route.command("sample-items/list", { summary: "List sample items, newest first", query: ListQuery }, async (_, { query }) => (await this.#sampleItems.{%= owner ? "listAll" : "list" %}(query)).items);

  readonly show = route.command("sample-items/show/:id", { summary: "Show a sample item", errors: notFound }, async (ctx) => (await this.#sampleItems.find(ctx.param("id"))) ?? ctx.fail(404));

{% if (owner) { -%}
  readonly create = route.command(
    "sample-items/create",
    {
      summary: "Create a sample item",
      query: dto({ user_id: string("required").describe("The id of the user who owns it") }),
      body: CreateSampleItem,
      errors: { 404: "User not found" },
    },
    async (ctx, { query, body }) => {
      const user = await this.#users.find(query.user_id);
      return user === undefined ? ctx.fail(404) : this.#sampleItems.create(user.id, body);
    },
  );
{% } else { -%}
  readonly create = route.command("sample-items/create", { summary: "Create a sample item", body: CreateSampleItem }, (_, { body }) => this.#sampleItems.create(body));
{% } -%}

  readonly update = route.command("sample-items/update/:id", { summary: "Change a sample item", body: UpdateSampleItem, errors: notFound }, async (ctx, { body }) => (await this.#sampleItems.update(ctx.param("id"), body)) ?? ctx.fail(404));

  readonly delete = route.command("sample-items/delete/:id", { summary: "Delete a sample item", errors: notFound }, async (ctx) => {
    const deleted = await this.#sampleItems.delete(ctx.param("id"));
    return deleted ? "deleted" : ctx.fail(404);
  });

  routes() {
    return [this.list, this.show, this.create, this.update, this.delete];
  }
}
