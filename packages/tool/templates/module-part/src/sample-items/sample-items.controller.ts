import { dto, endpoint, routes, string } from "@tenon/core";

const Message = dto({ message: string("required") });

export class SampleItemsController {
  routes() {
    return routes([{ method: "GET", path: "/sample-items", handler: this.index }]);
  }

  readonly index = endpoint({ summary: "Show sample items", returns: Message }, () => {
    return { message: "sample items: ready" };
  });
}
