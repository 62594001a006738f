import { createApp } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { complete } from "./completion/complete.ts";
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
const [command, separator, ...words] = process.argv.slice(2);
// for the scripts of `tenon completion`, not for people: no help shows it
if (command === "complete" && separator === "--") process.stdout.write(complete(app.routes.list(), words));
else await app.run();
