import { Config } from "./config.ts";
import { readFlagsOrExit } from "./flags.ts";
import { createPagesModule } from "./pages/pages.module.ts";
import { createPagesPlatform } from "./pages/pages.platform.ts";
import { serve } from "./serve.ts";

const config = Config.readOrExit({ ...readFlagsOrExit(), defaults: { PORT: "8081" } });
await serve(config, createPagesModule, createPagesPlatform());
