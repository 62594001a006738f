import { createApp } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { CommandCatalog } from "./completion/command-catalog.ts";
import { readOrigin } from "./scaffold/origin.ts";
import { ToolModule } from "./tool.module.ts";

const { version } = readOrigin();
const app = await createApp(
  ToolModule,
  cli({
    name: "tenon",
    version,
    description: "Creates applications, generates their parts, runs and checks them",
    groups: {
      g: "Generate parts of an application",
      generate: "The same as g",
      migrate: "The migrations of an application's database",
      db: "The data of an application's database",
      requests: "What the developer tools of an application have recorded",
      explain: "Who provides a class or token, and who uses it",
    },
  }),
);
app.get(CommandCatalog).read(app.routes);
await app.run();
