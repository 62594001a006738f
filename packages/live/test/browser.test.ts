import assert from "node:assert/strict";
import { after, test } from "node:test";
import { api, type Context, defineModule, dto, inject, type Routes, string } from "@tenon/core";
import { createTestApp, type TestHttpApp } from "@tenon/core/testing";
import { type DataOptions, dataModule } from "@tenon/data";
import { Channels, events, liveModule, socket } from "@tenon/live";
import type { Browser, Page } from "playwright-core";
import { findChromium, launchChromium, patiently } from "../../core/test/support/chromium.ts";
import { newTopic, stores } from "./support/instances.ts";

const executable = findChromium();
if (executable === undefined) {
  if (process.env.REQUIRE_SERVICES === "1") throw new Error("REQUIRE_SERVICES is set and chromium cannot be found");
  process.stdout.write("left out: the tests that need chromium (not found on this machine)\n");
}
let browser: Browser | undefined;
after(() => browser?.close());

const Said = dto("Said", { text: string("required") });

const html = `<!doctype html><title>Live</title><script>
window.got = []; window.heard = []; window.states = [];
const source = new EventSource("/events");
source.addEventListener("said", ({ data }) => got.push(JSON.parse(data).text));
source.addEventListener("reset", () => got.push("reset"));
source.addEventListener("open", () => states.push("open"));
const socket = new WebSocket(location.origin.replace("http", "ws") + "/socket");
socket.onmessage = ({ data }) => { const { event, data: said } = JSON.parse(data); if (event === "said") heard.push(said.text); };
socket.onclose = ({ code }) => states.push("closed " + code);
window.say = (text) => socket.send(JSON.stringify({ event: "say", data: { text } }));
window.isReady = () => source.readyState === 1 && socket.readyState === 1;
</script>`;

function createModule(options: DataOptions, topic: string) {
  class Live {
    readonly #channels = inject(Channels);

    routes(): Routes {
      return [
        { method: "GET", path: "/", handler: this.page },
        { method: "GET", path: "/events", handler: this.events },
        { method: "GET", path: "/socket", handler: this.socket },
      ];
    }

    page(ctx: Context) {
      ctx.response().setHeader("content-type", "text/html; charset=utf-8");
      return ctx.status(200).send(html);
    }

    readonly events = events({ sends: { said: Said } }, (_, stream) => this.#channels.subscribe(topic, stream));

    readonly socket = socket(
      { receives: { say: Said }, sends: { said: Said } },
      {
        open: (_, live) => this.#channels.subscribe(topic, live),
        on: { say: (_ctx, _live, { text }) => this.#channels.publish(topic, "said", { text }) },
      },
    );
  }
  const data = dataModule(options);
  return defineModule({ name: "browser", imports: [data, liveModule(data)], declarations: [Live] });
}

/** Waits in the page until it has all of them. */
async function expectTexts(page: Page, list: "got" | "heard", texts: readonly string[]): Promise<void> {
  await page.waitForFunction(`window.${list}.length >= ${texts.length}`, undefined, { timeout: 240_000 });
  assert.deepEqual(await page.evaluate(`window.${list}`), texts);
}

for (const store of stores.filter(({ isShared }) => isShared)) {
  const skip = executable === undefined;
  test(`pages of two instances talk to each other, and continue after a restart (${store.name})`, {
    skip,
  }, async () => {
    browser ??= await launchChromium(executable ?? "");
    const context = patiently(await browser.newContext());
    await store.run(async (options) => {
      const topic = newTopic();
      const open = async (port: number) => {
        const app: TestHttpApp = await createTestApp(createModule(options, topic), api());
        const { url } = await app.listen({ port, signals: false });
        return { app, url };
      };
      let first = await open(0);
      const second = await open(0);
      const [one, other] = [await context.newPage(), await context.newPage()];
      await one.goto(first.url);
      await other.goto(second.url);
      for (const page of [one, other]) await page.waitForFunction("window.isReady()");
      await other.evaluate('window.say("from the second")');
      await one.evaluate("window.say('from the first')");
      for (const page of [one, other]) {
        await page.waitForFunction("window.got.length === 2 && window.heard.length === 2");
        assert.deepEqual(await page.evaluate("window.got"), await page.evaluate("window.heard"));
      }
      const before = (await one.evaluate("window.got")) as string[];
      assert.deepEqual(before.toSorted(), ["from the first", "from the second"]);
      await first.app.stop();
      await one.waitForFunction('window.states.includes("closed 1001")');
      await other.evaluate("window.say('while it was away')");
      await expectTexts(other, "heard", [...before, "while it was away"]);
      first = await open(Number(new URL(first.url).port));
      await expectTexts(one, "got", [...before, "while it was away"]);
      await other.evaluate("window.say('back')");
      await expectTexts(one, "got", [...before, "while it was away", "back"]);
      await context.close();
      await first.app.stop();
      await second.app.stop();
    });
  });
}

test("a page of another origin cannot open a socket", { skip: executable === undefined }, async () => {
  browser ??= await launchChromium(executable ?? "");
  const app = await createTestApp(createModule({ database: "sqlite::memory:" }, newTopic()), api());
  const page = patiently(await browser.newPage());
  try {
    const { url } = await app.listen({ port: 0, signals: false });
    await page.goto(url);
    const target = JSON.stringify(`${url.replace("http", "ws")}/socket`);
    const connect = `new Promise((resolve) => {
      const socket = new WebSocket(${target});
      socket.onopen = () => resolve("open");
      socket.onclose = ({ code }) => resolve(code);
    })`;
    assert.equal(await page.evaluate(connect), "open");
    await page.goto("data:text/html,<title>foreign</title>");
    assert.equal(await page.evaluate(connect), 1006);
  } finally {
    await page.close();
    await app.stop();
  }
});
