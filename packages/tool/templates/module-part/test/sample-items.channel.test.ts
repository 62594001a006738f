import assert from "node:assert/strict";
import { after, test } from "node:test";
import { api, defineModule } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { liveModule } from "@tenon/live";
import { SampleItemsChannel } from "../src/sample-items/sample-items.channel.ts";

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
