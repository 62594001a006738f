import { api, createApp, defineModule, dto, inject, route, string } from "@tenon/core";
import { Channels, events, liveModule, socket } from "@tenon/live";

const Message = dto({ text: string("required", "max=500") });

class Live {
  readonly #channels = inject(Channels);

  readonly socket = route.get(
    "/socket",
    socket(
      {
        receives: { say: Message, publish: Message },
        sends: { said: Message, published: Message },
        limits: { messagesPerSecond: 1_000_000 }, // the default closes a client that sends at full speed
      },
      {
        open: (_, connection) => this.#channels.subscribe("live", connection),
        on: {
          say: (_ctx, connection, message) => connection.send("said", message),
          publish: (_ctx, _connection, message) => this.#channels.publish("live", "published", message),
        },
      },
    ),
  );

  readonly events = route.get(
    "/events",
    events({ sends: { published: Message } }, (_, stream) => this.#channels.subscribe("live", stream)),
  );

  readonly publish = route.post("/publish", { body: Message, returns: { 204: null } }, (_, { body }) =>
    this.#channels.publish("live", "published", body),
  );

  routes() {
    return [this.socket, this.events, this.publish];
  }
}

export async function listen(): Promise<number> {
  const live = liveModule(undefined, { heartbeat: 3_600_000 }); // the others send none in the time of a run
  const module = defineModule({ name: "bench", imports: [live], declarations: [Live] });
  const app = await createApp(module, api({ middlewares: [] }), { log: { level: "warn" } });
  const { port } = await app.listen({ port: 0, host: "127.0.0.1", signals: false });
  return port;
}
