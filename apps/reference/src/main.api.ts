import { createAppModule } from "./app.module.ts";
import { Config } from "./config.ts";
import { readFlagsOrExit } from "./flags.ts";
import { createPlatform, serve } from "./serve.ts";

await serve(Config.readOrExit(readFlagsOrExit()), createAppModule, createPlatform({ docs: { public: true } }));
