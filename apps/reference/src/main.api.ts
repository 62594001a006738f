import { createAppModule } from "./app.module.ts";
import { createPlatform, serve } from "./serve.ts";

await serve({ bcryptCost: 14 }, createAppModule, (config) => createPlatform({ ...config, docs: true }));
