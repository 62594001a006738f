import assert from "node:assert/strict";
import { test } from "node:test";
import { type Context, dto, inject, type Routes, string } from "@tenon/core";
import { Channels, events, InvalidMessage } from "@tenon/live";
import { withLiveApp } from "../support/live-app.ts";

const Said = dto("Said", { text: string("required") });
/** Text that would be fields and an event of its own if a line break were sent as it is. */
const hostile = ["\n", "\r", "\r\n", "\n\n"].map((end) =>
  ["x", "event: admin", "data: {}", "id: 1", "retry: 1", ": comment", "", ""].join(end),
);

class Feeds {
  readonly #channels = inject(Channels);
  readonly failures: unknown[] = [];

  routes(): Routes {
    return [{ method: "GET", path: "/feed", handler: this.feed }];
  }

  readonly feed = events({ sends: { said: Said } }, async (_: Context, stream) => {
    let delivered = 0;
    await this.#channels.subscribe("feed", stream);
    await this.#channels.subscribe("feed", () => {
      if (++delivered === hostile.length) stream.close(hostile[0]);
    });
    for (const text of hostile) {
      stream.send("said", { text });
      this.#tryTo(() => stream.send("said", { text: "never sent" }, { id: text }));
      await this.#channels.subscribe(text, stream).catch((error: unknown) => this.failures.push(error));
      await this.#channels.publish("feed", "said", { text });
    }
  });

  #tryTo(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.failures.push(error);
    }
  }
}

test("no text of an event, an id, a topic or a reason begins a field of its own (K12, Hono GHSA-p6xx-57qc-3wxr, h3 CVE-2026-33128, Nest CVE-2026-35515)", () =>
  withLiveApp(Feeds, async ({ app, url }) => {
    const text = await (await fetch(`${url}/feed`)).text();
    const lines = text.split(/\r\n|\r|\n/).filter((line) => line !== ""); // as the HTML standard reads a stream
    for (const line of lines) {
      assert.match(line, /^(?:retry: \d+|id: [\w.~:,-]+|event: (?:said|close)|data: \{.*\})$/);
    }
    const data = lines.filter((line) => line.startsWith("data: ")).map((line) => JSON.parse(line.slice(6)));
    const twice = hostile.flatMap((one) => [{ text: one }, { text: one }]);
    assert.deepEqual(data, [...twice, { reason: hostile[0] }]);

    const failures = app.get(Feeds).failures.map((error) => (error instanceof InvalidMessage ? "id" : `${error}`));
    const topicError = /^\w+: .*topic/;
    assert.deepEqual(
      failures.map((failure) => (topicError.test(failure) ? "topic" : failure)),
      hostile.flatMap(() => ["id", "topic"]),
    );
  }));
