import { liveModule } from "@tenon/live";
{% if (hasData) { -%}
import { DataModule } from "./data.module.ts";

/** Event streams, sockets and channels. They reach all instances where the data is on Redis or PostgreSQL. */
export const LiveModule = liveModule(DataModule);
{% } else { -%}

/** Event streams, sockets and channels of this machine. With a data module they reach all instances. */
export const LiveModule = liveModule();
{% } -%}
