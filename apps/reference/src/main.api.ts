import { createAppModule } from "./app.module.ts";
import { serve } from "./serve.ts";

await serve({ bcryptCost: 14 }, createAppModule);
