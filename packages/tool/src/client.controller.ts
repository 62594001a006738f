import { resolve } from "node:path";
import { dto, endpoint, HttpError, inject, routes, string } from "@tenon/core";
import { ClientService } from "./client.service.ts";

const ClientFlags = dto({
  out: string().alias("o").describe("File to write, such as client.ts"),
  from: string().describe("OpenAPI 3.1 document, a file or a URL; defaults to that of the application"),
  entry: string().describe("Entry point of the application; defaults to src/main.api.ts or the one of npm start"),
  in: string().describe("Folder of the application; defaults to the current folder"),
});

export class ClientController {
  readonly #clients = inject(ClientService);

  routes() {
    return routes([{ path: "client", handler: this.create }]);
  }

  readonly create = endpoint(
    { summary: "Write a typed client of an API", query: ClientFlags },
    async (ctx, { query: { out, from, entry, in: folder } }) => {
      if (out === undefined)
        throw new HttpError(400, "--out is missing. Usage: tenon client --out=client.ts [--from=<file or URL>]");
      const place = { folder: resolve(folder ?? "."), entry, signal: ctx.signal };
      return this.#clients.writeClient(await this.#clients.readDocument(place, from), place.folder, out);
    },
  );
}
