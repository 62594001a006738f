import assert from "node:assert/strict";
import { once } from "node:events";
import { after, test } from "node:test";
import { api, defineModule } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { liveModule } from "@tenon/live";
import { SampleItemsChannel } from "../src/sample-items/sample-items.socket.ts";

const TestModule = defineModule({ name: "test", imports: [liveModule()], declarations: [SampleItemsChannel] });
const app = await createTestApp(TestModule, api());
after(() => app.stop());

test("GET /live/sample-items streams what is published", async () => {
  const response = await app.request("GET", "/live/sample-items");
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  await app.get(SampleItemsChannel).publish({ text: "hello" });
  let received = "";
  for await (const chunk of response.body ?? []) {
    received += Buffer.from(chunk).toString();
    if (received.includes("event: published")) break;
  }
  assert.match(received, /event: published\ndata: \{"text":"hello"\}\n\n/);
});

test("a client of /live/sample-items/socket publishes to all, and gets the reason when a message is rejected", async () => {
  const { url } = await app.listen({ port: 0, signals: false });
  const socket = new WebSocket(`${url.replace("http", "ws")}/live/sample-items/socket`);
  const messages: { event?: string; data?: unknown }[] = [];
  const { promise: received, resolve } = Promise.withResolvers<void>();
  socket.addEventListener("message", ({ data }) => {
    messages.push(JSON.parse(data));
    if (messages.at(-1)?.event === "published") resolve();
  });
  await once(socket, "open");
  socket.send(JSON.stringify({ event: "publish", data: { text: "" } }));
  socket.send(JSON.stringify({ event: "publish", data: { text: "hello" } }));
  await received;
  const events = messages.filter(({ event }) => event !== undefined);
  assert.deepEqual(
    events.map(({ event }) => event),
    ["error", "published"],
  );
  assert.deepEqual(events.at(-1)?.data, { text: "hello" });
  socket.close();
});
