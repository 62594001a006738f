import { boolean, dto, endpoint, routes } from "@tenon/core";

const Flags = dto({ loud: boolean("default=false").describe("Print in capital letters") });

export class SampleItemsCommands {
  routes() {
    return routes([{ path: "sample-items", handler: this.run }]);
  }

  readonly run = endpoint({ summary: "Run sample items", query: Flags }, (_, { query }) => {
    const text = "sample items: ready";
    return query.loud ? text.toUpperCase() : text;
  });
}
