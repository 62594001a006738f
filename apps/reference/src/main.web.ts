import { createPagesModule } from "./pages/pages.module.ts";
import { createPagesPlatform } from "./pages/pages.platform.ts";
import { serve } from "./serve.ts";

await serve({ bcryptCost: 14, port: 8081 }, createPagesModule, createPagesPlatform);
