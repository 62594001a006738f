import assert from "node:assert/strict";
import { test } from "node:test";
import { dto, inject, type Routes, string } from "@tenon/core";
import { Channels, events, LiveConnections, socket } from "@tenon/live";
import { until } from "../../core/test/support/until.ts";
import { EventReader } from "./support/event-reader.ts";
import { withLiveApp } from "./support/live-app.ts";
import { SocketClient } from "./support/socket-client.ts";

const Said = dto({ text: string("required") });

class Feed {
  readonly channels = inject(Channels);

  routes(): Routes {
    return [
      { method: "GET", path: "/stream", handler: this.stream },
      { method: "GET", path: "/socket", handler: this.socket },
      { method: "GET", path: "/compressed", handler: this.compressed },
    ];
  }

  readonly stream = events({ sends: { said: Said } }, (_, stream) => this.channels.subscribe("feed", stream));
  readonly socket = this.#open(false);
  readonly compressed = this.#open(true);

  #open(compression: boolean) {
    const contract = { sends: { said: Said }, receives: {}, compression };
    return socket(contract, { open: (_, live) => this.channels.subscribe("feed", live), on: {} });
  }
}

/** Together about thirty times what may wait for a client; one is larger than that by itself. */
const texts = Array.from({ length: 500 }, (_, index) => `${index} ${"x".repeat(index === 250 ? 5000 : 200)}`);

test("a client gets a buffer that is larger than what may wait for it", async () => {
  await withLiveApp(
    Feed,
    async ({ app, url }) => {
      const { channels } = app.get(Feed);
      const connections = app.get(LiveConnections);
      const before = await EventReader.open(`${url}/stream`);
      await before.until(({ id }) => id !== "");
      await before.cancel();
      await until(() => connections.stats().streams === 0, "end of the stream");
      for (const text of texts) await channels.publish("feed", "said", { text });
      const all = [...texts, "new"].map((text) => ({ text }));

      const reader = await EventReader.open(`${url}/stream`, { "last-event-id": before.id });
      const clients = [
        await SocketClient.open(`${url}/socket?lastEventId=${before.id}`),
        await SocketClient.open(`${url}/compressed?lastEventId=${before.id}`),
      ];
      await channels.publish("feed", "said", { text: "new" });
      const streamed = await reader.take(all.length);
      assert.deepEqual(
        streamed.map(({ data }) => data),
        all,
      );
      for (const client of clients) {
        const got: unknown[] = [];
        while (got.length < all.length) got.push((await client.next()).data);
        assert.deepEqual(got, all);
        await client.close();
      }
      assert.equal(connections.stats().slowClients, 0);
      await reader.cancel();
    },
    { options: { pendingBytes: 4000 } },
  );
});
