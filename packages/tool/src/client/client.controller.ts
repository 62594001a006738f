import { dto, HttpError, inject, route, string } from "@tenon/core";
import { placeFlags, toPlace } from "../run/place.ts";
import { ClientService, toDocumentText } from "./client.service.ts";

const ClientFlags = dto({
  out: string().alias("o").describe("File to write, such as client.ts"),
  from: string().describe("OpenAPI 3.1 document, a file or a URL; defaults to that of the application"),
  ...placeFlags,
});

const OpenapiFlags = dto({
  out: string().alias("o").describe("File to write; defaults to standard output"),
  ...placeFlags,
});

/** `tenon client` and `tenon openapi`. */
export class ClientController {
  readonly #clients = inject(ClientService);

  readonly create = route.command(
    "client",
    { summary: "Write a typed client of an API", query: ClientFlags },
    async (ctx, { query: { out, from, ...flags } }) => {
      if (out === undefined)
        throw new HttpError(400, "--out is missing. Usage: tenon client --out=client.ts [--from=<file or URL>]");
      const place = toPlace(ctx, flags);
      return this.#clients.writeClient(await this.#clients.readDocument(place, from), place.folder, out);
    },
  );

  readonly openapi = route.command(
    "openapi",
    { summary: "Print or write the OpenAPI document", query: OpenapiFlags },
    async (ctx, { query: flags }) => {
      const place = toPlace(ctx, flags);
      const document = await this.#clients.describe(place);
      if (flags.out !== undefined) return this.#clients.writeDocument(document, place.folder, flags.out);
      return Buffer.from(toDocumentText(document)); // bytes, because --json would quote a text
    },
  );

  routes() {
    return [this.create, this.openapi];
  }
}
