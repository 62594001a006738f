import { defineModule } from "@tenon/core";
import { ClientController } from "./client/client.controller.ts";
import { ClientService } from "./client/client.service.ts";
import { CompletionController } from "./completion/completion.controller.ts";
import { DevController } from "./dev/dev.controller.ts";
import { DevServer } from "./dev/dev-server.ts";
import { AccountsController } from "./generate/accounts/accounts.controller.ts";
import { AccountsService } from "./generate/accounts/accounts.service.ts";
import { AuthController } from "./generate/auth/auth.controller.ts";
import { AuthService } from "./generate/auth/auth.service.ts";
import { ModulesController } from "./generate/modules.controller.ts";
import { ModulesService } from "./generate/modules.service.ts";
import { OpenRoutes } from "./generate/open-routes.ts";
import { PartsController } from "./generate/part/parts.controller.ts";
import { PartsService } from "./generate/part/parts.service.ts";
import { Checks } from "./inspect/checks.ts";
import { Information } from "./inspect/information.ts";
import { InspectController } from "./inspect/inspect.controller.ts";
import { RoutesController } from "./inspect/routes.controller.ts";
import { MigrationsController } from "./migrate/migrations.controller.ts";
import { AppsController } from "./new/apps.controller.ts";
import { AppsService } from "./new/apps.service.ts";
import { Prompts } from "./prompts.ts";
import { RequestsController } from "./requests/requests.controller.ts";
import { Applications } from "./run/applications.ts";
import { RemoteCommands } from "./run/remote-commands.ts";
import { RunController } from "./run/run.controller.ts";
import { Installer } from "./scaffold/installer.ts";
import { MachineNode } from "./scaffold/machine-node.ts";

export const ToolModule = defineModule({
  name: "tool",
  declarations: [
    AppsController,
    AppsService,
    ModulesController,
    ModulesService,
    AuthController,
    AuthService,
    AccountsController,
    AccountsService,
    OpenRoutes,
    PartsController,
    PartsService,
    RoutesController,
    RequestsController,
    ClientController,
    ClientService,
    DevController,
    DevServer,
    InspectController,
    Checks,
    Information,
    MigrationsController,
    RunController,
    RemoteCommands,
    CompletionController,
    Applications,
    Installer,
    MachineNode,
    Prompts,
  ],
});
