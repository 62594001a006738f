{% const roles = [routes && "Controller", pagesOnly && "Pages", commands && "Commands", "Service"]; -%}
import { defineModule } from "@tenon/core";
{% for (const { name, path } of importedModules) { -%}
import { {%= name %} } from "{%= path %}";
{% } -%}
{% if (commands) { -%}
import { SampleItemsCommands } from "./sample-items.commands.ts";
{% } -%}
{% if (routes) { -%}
import { SampleItemsController } from "./sample-items.controller.ts";
{% } -%}
{% if (owner) { -%}
import { SampleItemOwner } from "./sample-items.owner.ts";
{% } -%}
{% if (pagesOnly) { -%}
import { SampleItemsPages } from "./sample-items.pages.ts";
{% } -%}
import { SampleItemsService } from "./sample-items.service.ts";

export const SampleItemsModule = defineModule({
  name: "sample-items",
  imports: [{%= modules.map(({ name }) => name).join(", ") %}],
  declarations: [{%= roles.filter(Boolean).map((role) => `SampleItems${role}`).join(", ") %}{% if (owner) { %}, SampleItemOwner{% } %}],
  exports: [SampleItemsService],
});
