import { createApp } from "@tenon/core";
import { worker } from "@tenon/jobs";
import { AppModule } from "./app.module.ts";

const app = await createApp(AppModule, worker({ concurrency: 5 }));
await app.run();
