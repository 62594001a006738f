import { createApp } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { readOrigin } from "./origin.ts";
import { ToolModule } from "./tool.module.ts";

const { version } = readOrigin();
const app = await createApp(
  ToolModule,
  cli({ name: "tenon", version, description: "Creates applications, their modules and their typed clients" }),
);
await app.run();
