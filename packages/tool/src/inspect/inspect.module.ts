import { defineModule } from "@tenon/core";
import { Applications } from "../applications.ts";
import { Checks } from "./checks.ts";
import { CommandCatalog } from "./command-catalog.ts";
import { CompletionController } from "./completion.controller.ts";
import { Information } from "./information.ts";
import { InspectController } from "./inspect.controller.ts";
import { MigrationsController } from "./migrations.controller.ts";
import { RemoteCommands } from "./remote-commands.ts";

/** Commands that look at an application or run one of its own. */
export const InspectModule = defineModule({
  name: "inspect",
  declarations: [
    Applications,
    Checks,
    CommandCatalog,
    CompletionController,
    Information,
    InspectController,
    MigrationsController,
    RemoteCommands,
  ],
  exports: [Applications, CommandCatalog],
});
