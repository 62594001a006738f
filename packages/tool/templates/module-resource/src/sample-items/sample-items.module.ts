{% const roles = split ? ["Service"] : [routes && "Controller", pagesOnly && "Pages", commands && "Commands", "Service"]; -%}
import { defineModule } from "@tenon/core";
{%= importAll(modules) %}{% if (commands && !split) { -%}
import { SampleItemsCommands } from "./sample-items.commands.ts";
{% } -%}
{% if (routes && !split) { -%}
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
  exports: [SampleItemsService{% if (owner && split) { %}, SampleItemOwner{% } %}],
});
