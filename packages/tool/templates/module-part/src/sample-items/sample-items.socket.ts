import { dto, type Infer, inject, route, string } from "@tenon/core";
import { Channels, events, socket } from "@tenon/live";

const Message = dto({ text: string("required", "max=500") });

/** What one client publishes, all get. Anyone may connect: list guards in the `middlewares` of the routes. */
export class SampleItemsChannel {
  readonly #channels = inject(Channels);

  readonly events = route.get(
    "/live/sample-items",
    events({ summary: "Stream sample items", sends: { published: Message } }, (_, stream) =>
      this.#channels.subscribe("sample-items", stream),
    ),
  );

  readonly socket = route.get(
    "/live/sample-items/socket",
    socket(
      { summary: "Stream and publish sample items", receives: { publish: Message }, sends: { published: Message } },
      {
        open: (_, connection) => this.#channels.subscribe("sample-items", connection),
        on: { publish: (_ctx, _connection, message) => this.publish(message) },
      },
    ),
  );

  publish(message: Infer<typeof Message>): Promise<void> {
    return this.#channels.publish("sample-items", "published", message);
  }

  routes() {
    return [this.events, this.socket];
  }
}
