import { defineModule } from "@tenon/core";
import { DataModule } from "../data.module.ts";
import { SampleItemsCommands } from "./sample-items.commands.ts";
import { SampleItemsController } from "./sample-items.controller.ts";
import { SampleItemsPages } from "./sample-items.pages.ts";
import { SampleItemsService } from "./sample-items.service.ts";

export const SampleItemsModule = defineModule({
  name: "sample-items",
  imports: [DataModule],
  declarations: [SampleItemsController, SampleItemsPages, SampleItemsCommands, SampleItemsService],
  exports: [SampleItemsService],
});
