import { createTutorialModule } from "./app.module.ts";
import { Config } from "./config.ts";
import { readFlagsOrExit } from "./flags.ts";
import { serve } from "./serve.ts";

const config = Config.readOrExit({ ...readFlagsOrExit(), defaults: { BCRYPT_COST: "10" } });
await serve(config, createTutorialModule);
