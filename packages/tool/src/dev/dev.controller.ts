import { dto, inject, route, string } from "@tenon/core";
import { placeFlags, toPlace } from "../run/place.ts";
import { DevServer } from "./dev-server.ts";

const DevFlags = dto({
  port: string().describe("Port of the application, passed on to it"),
  host: string().describe("Host of the application, passed on to it"),
  ...placeFlags,
});

export class DevController {
  readonly #server = inject(DevServer);

  readonly dev = route.command(
    "dev",
    { summary: "Run the application and restart it when its files change", query: DevFlags },
    async (ctx, { query: { entry, in: folder, ...passed } }) => {
      const words = Object.entries(passed).flatMap(([name, value]) =>
        value === undefined ? [] : `--${name}=${value}`,
      );
      await this.#server.run({ ...toPlace(ctx, { entry, in: folder }), words });
    },
  );

  routes() {
    return [this.dev];
  }
}
