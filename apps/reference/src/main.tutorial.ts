import { createTutorialModule } from "./app.module.ts";
import { serve } from "./serve.ts";

await serve({ bcryptCost: 10 }, createTutorialModule);
