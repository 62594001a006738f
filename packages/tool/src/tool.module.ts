import { defineModule } from "@tenon/core";
import { ApplicationsController } from "./applications.controller.ts";
import { AppsController } from "./apps.controller.ts";
import { AppsService } from "./apps.service.ts";
import { ClientController } from "./client.controller.ts";
import { ClientService } from "./client.service.ts";
import { DevController } from "./dev/dev.controller.ts";
import { DevServer } from "./dev/dev-server.ts";
import { AuthController } from "./generate/auth.controller.ts";
import { AuthService } from "./generate/auth.service.ts";
import { DestroyController } from "./generate/destroy.controller.ts";
import { DestroyService } from "./generate/destroy.service.ts";
import { ModulesController } from "./generate/modules.controller.ts";
import { ModulesService } from "./generate/modules.service.ts";
import { PartsController } from "./generate/parts.controller.ts";
import { PartsService } from "./generate/parts.service.ts";
import { InspectModule } from "./inspect/inspect.module.ts";
import { Installer } from "./installer.ts";
import { Prompts } from "./prompts.ts";

export const ToolModule = defineModule({
  name: "tool",
  imports: [InspectModule],
  declarations: [
    AppsController,
    AppsService,
    ModulesController,
    ModulesService,
    AuthController,
    AuthService,
    DestroyController,
    DestroyService,
    PartsController,
    PartsService,
    ApplicationsController,
    ClientController,
    ClientService,
    DevController,
    DevServer,
    Installer,
    Prompts,
  ],
});
