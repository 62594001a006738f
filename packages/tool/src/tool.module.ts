import { defineModule } from "@tenon/core";
import { AppsController } from "./apps.controller.ts";
import { AppsService } from "./apps.service.ts";
import { Installer } from "./installer.ts";
import { ModulesController } from "./modules.controller.ts";
import { ModulesService } from "./modules.service.ts";
import { Prompts } from "./prompts.ts";

export const ToolModule = defineModule({
  name: "tool",
  declarations: [AppsController, AppsService, ModulesController, ModulesService, Installer, Prompts],
});
