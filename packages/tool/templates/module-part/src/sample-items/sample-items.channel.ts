import { dto, type Infer, inject, route, string } from "@tenon/core";
import { Channels, events } from "@tenon/live";

const Message = dto({ text: string("required", "max=500") });

/** To send to all clients: `inject(SampleItemsChannel).publish({ text: "…" })`. */
export class SampleItemsChannel {
  readonly #channels = inject(Channels);

  readonly events = route.get(
    "/live/sample-items",
    events({ summary: "Stream sample items", sends: { published: Message } }, (_, stream) =>
      this.#channels.subscribe("sample-items", stream),
    ),
  );

  publish(message: Infer<typeof Message>): Promise<void> {
    return this.#channels.publish("sample-items", "published", message);
  }

  routes() {
    return [this.events];
  }
}
