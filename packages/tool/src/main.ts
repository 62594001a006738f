import { createApp } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { complete } from "./completion/complete.ts";
import { program } from "./program.ts";
import { readOrigin } from "./scaffold/origin.ts";
import { ToolModule } from "./tool.module.ts";

const { version } = readOrigin();
const app = await createApp(ToolModule, cli({ ...program, version }));
const [command, separator, ...words] = process.argv.slice(2);
// for the scripts of `tenon completion`, not for people: no help shows it
if (command === "complete" && separator === "--") process.stdout.write(complete(app.routes.list(), words));
else await app.run();
