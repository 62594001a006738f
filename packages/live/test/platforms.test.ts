import assert from "node:assert/strict";
import { test } from "node:test";
import { defineModule, dto, inject, type Routes, string } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { Channels, events, LiveConnections, liveModule, socket } from "@tenon/live";
import { web } from "@tenon/web";
import { EventReader } from "./support/event-reader.ts";
import { SocketClient } from "./support/socket-client.ts";

const Said = dto({ text: string("required") });

class Live {
  readonly channels = inject(Channels);

  routes(): Routes {
    return [
      { method: "GET", path: "/events", handler: this.events },
      { method: "GET", path: "/socket", handler: this.socket },
    ];
  }

  readonly events = events({ sends: { said: Said } }, (_, stream) => this.channels.subscribe("live", stream));
  readonly socket = socket(
    { receives: { say: Said }, sends: { said: Said } },
    { on: { say: (_ctx, _live, { text }) => this.channels.publish("live", "said", { text }) } },
  );
}

test("live routes work on the web platform too", async () => {
  const module = defineModule({ name: "test", imports: [liveModule()], declarations: [Live] });
  const app = await createTestApp(module, web({ views: { has: () => false, render: () => "" } }));
  try {
    const { url } = await app.listen({ port: 0, signals: false });
    const reader = await EventReader.open(`${url}/events`);
    await reader.until(({ id }) => id !== "");
    const client = await SocketClient.open(`${url}/socket`, { origin: url });
    client.send("say", { text: "hello" });
    assert.deepEqual((await reader.next())?.data, { text: "hello" });
    assert.equal((await SocketClient.refused(`${url}/socket`, { origin: "https://evil.example" })).status, 403);
    assert.deepEqual(app.get(LiveConnections).stats().sockets, 1);
    await client.close();
    await reader.cancel();
  } finally {
    await app.stop();
  }
});
