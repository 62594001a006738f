import { boolean, dto, route } from "@tenon/core";

const Flags = dto({ loud: boolean("default=false").describe("Print in capital letters") });

export class SampleItemsCommands {
  readonly run = route.command("sample-items", { summary: "Run sample items", query: Flags }, (_, { query }) => {
    const text = "sample items: ready";
    return query.loud ? text.toUpperCase() : text;
  });

  routes() {
    return [this.run];
  }
}
