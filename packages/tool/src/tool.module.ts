import { defineModule } from "@tenon/core";
import { ApplicationsController } from "./applications.controller.ts";
import { AppsController } from "./apps.controller.ts";
import { AppsService } from "./apps.service.ts";
import { ClientController } from "./client.controller.ts";
import { ClientService } from "./client.service.ts";
import { DevController } from "./dev/dev.controller.ts";
import { DevServer } from "./dev/dev-server.ts";
import { InspectModule } from "./inspect/inspect.module.ts";
import { Installer } from "./installer.ts";
import { ModulesController } from "./modules.controller.ts";
import { ModulesService } from "./modules.service.ts";
import { Prompts } from "./prompts.ts";

export const ToolModule = defineModule({
  name: "tool",
  imports: [InspectModule],
  declarations: [
    AppsController,
    AppsService,
    ModulesController,
    ModulesService,
    ApplicationsController,
    ClientController,
    ClientService,
    DevController,
    DevServer,
    Installer,
    Prompts,
  ],
});
