import { createApp } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { AppModule } from "./app.module.ts";

const app = await createApp(AppModule, cli({ name: "my-app", version: "0.1.0" }));
await app.run();
