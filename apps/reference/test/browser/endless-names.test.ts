import assert from "node:assert/strict";
import { test } from "node:test";
import { Database } from "@tenon/data";
import type { Schema } from "../../src/database/schema.ts";
import { describeInBrowser, withPage } from "../support/browser.ts";
import { addPost } from "../support/pages.ts";

const isFull = process.env.TENON_FULL === "1";

describeInBrowser("Very long names and titles", (blog) => {
  test("a list shows at most three lines of each, the header one, and no page is wider than its window", async () => {
    const author = await blog().users.add();
    const name = "Wolfeschlegelsteinhausenbergerdorff ".repeat(30);
    await blog()
      .app.get(Database<Schema>)
      .updateTable("users")
      .set({ name })
      .where("id", "=", author.user.id)
      .execute();
    await addPost(blog(), author, { title: "Donaudampfschifffahrt".repeat(40) });
    // a long word has no room only in the narrow window
    for (const width of isFull ? [1280, 390] : [390]) {
      const options = { as: author, viewport: { width, height: 844 } };
      await withPage(
        blog(),
        async (page) => {
          for (const path of ["/", "/my-posts"]) {
            await page.goto(path);
            const title = (await page.locator(".name").first().boundingBox())?.height ?? 0;
            assert.ok(title > 0 && title < 180, `${path} ${width}: the title is ${title} high`);
            const header = (await page.locator(".who").boundingBox())?.height ?? 0;
            assert.ok(header > 0 && header < 60, `${path} ${width}: the name is ${header} high`);
            const wide = await page.locator("html").evaluate(({ scrollWidth }: { scrollWidth: number }) => scrollWidth);
            assert.ok(wide <= width, `${path} is ${wide} wide`);
          }
          await page.goto("/");
          const by = (await page.locator(".by").first().boundingBox())?.height ?? 0;
          assert.ok(by > 0 && by < 80, `the author is ${by} high at ${width}`);
        },
        options,
      );
    }
  });

  test("the badge of a draft is as wide as its word, and the box of a draft has room above and below", async () => {
    const author = await blog().users.add();
    const { id } = await addPost(blog(), author, { published: false });
    const options = { as: author, viewport: { width: 390, height: 844 } };
    await withPage(
      blog(),
      async (page) => {
        await page.goto(`/posts/${id}/edit`);
        assert.notEqual(await page.locator(".state").evaluate(displayOf), "inline");
        await page.goto(`/posts/${id}`);
        const [box, text] = [page.locator(".tools"), page.locator(".tools > p")];
        const above = ((await text.boundingBox())?.y ?? 0) - ((await box.boundingBox())?.y ?? 0);
        assert.ok(above >= 10, `${above} above`);
      },
      options,
    );
  });
});

function displayOf(element: unknown): string {
  const { getComputedStyle } = globalThis as unknown as { getComputedStyle(node: unknown): { display: string } }; // runs in the page
  return getComputedStyle(element).display;
}
