import assert from "node:assert/strict";
import { test } from "node:test";
import { HttpError } from "@tenon/core";
import { assertAccessible, isFull } from "../support/axe.ts";
import { describeInBrowser, withPage } from "../support/browser.ts";
import { tabTo } from "../support/keyboard.ts";
import { addPost } from "../support/pages.ts";
import type { TestUser } from "../support/users.ts";

const rich = `# A heading

A paragraph with [a link](https://example.com/), *some* **words** and \`code\`.

> Said by others.

- one
- two

| a | b |
|---|--:|
| ${"wide ".repeat(30)} | 2 |

\`\`\`ts
const line = "${"wide ".repeat(40)}";
\`\`\``;

describeInBrowser("Accessibility of every page", (blog) => {
  const narrow = { viewport: { width: 320, height: 640 } };

  test("public pages have headings, landmarks and labels, and no serious violation", async () => {
    await withPage(
      blog(),
      async (page) => {
        if (isFull) {
          await page.goto("/");
          await assertAccessible(page, "the empty list");
        }
        const author = await blog().users.one();
        const post = await addPost(blog(), author, { title: `Long${"er".repeat(60)}`, content: rich });
        for (let index = 0; index < 10; index++) await addPost(blog(), author, { title: `Post ${index}` });
        const paths = ["/", `/posts/${post.id}`, "/nothing"];
        for (const path of isFull ? [...paths, "/login", "/register"] : paths) {
          await page.goto(path);
          await assertAccessible(page, path, path.startsWith("/posts/"));
        }
        if (isFull) {
          await page.goto("/");
          await page.getByRole("link", { name: "Older posts" }).click();
          await assertAccessible(page, "older posts");
        }
        for (const path of isFull ? ["/login", "/register"] : ["/register"]) {
          await page.goto(path);
          await page.getByRole("main").getByRole("button").click();
          await page.getByRole("alert").waitFor();
          await assertAccessible(page, `${path} with mistakes`, true);
        }
        blog().app.routes.add({
          method: "GET",
          path: "/fails-with/:status",
          handler: (ctx) => {
            throw new HttpError(Number(ctx.param("status")), "Invalid request");
          },
        });
        for (const status of isFull ? [400, 401] : []) {
          await page.goto(`/fails-with/${status}`);
          await assertAccessible(page, `the page of ${status}`);
        }
      },
      narrow,
    );
  });

  test("the pages of an author have headings, landmarks and labels, and no serious violation", async () => {
    const author = await blog().users.add();
    await withPage(
      blog(),
      async (page) => {
        if (isFull) {
          await page.goto("/my-posts");
          await assertAccessible(page, "no posts yet");
        }
        const draft = await addPost(blog(), author, { title: "A draft", content: rich, published: false });
        await addPost(blog(), author, { title: "Published" });
        const foreign = await addPost(blog(), await blog().users.one());
        const paths = ["/my-posts", `/posts/${draft.id}`, `/posts/${draft.id}/delete`];
        const others = ["/posts/new", `/posts/${draft.id}/edit`, `/posts/${foreign.id}/edit`];
        for (const path of isFull ? [...paths, ...others] : paths) {
          await page.goto(path);
          await assertAccessible(page, path, path === "/my-posts");
        }
        await page.goto("/posts/new");
        await page.locator("summary").click();
        await page.getByRole("button", { name: "Publish" }).click();
        await assertAccessible(page, "/posts/new with mistakes", true);
        await page.getByLabel("Text").fill("text");
        await page.context().clearCookies({ name: "session_id" });
        await page.getByRole("button", { name: "Publish" }).click();
        await assertAccessible(page, "a form that came too late");
      },
      { as: author, ...narrow },
    );
  });

  test("a draft can be saved by keyboard alone: past the navigation and through the login", async () => {
    const author: TestUser = await blog().users.add();
    await withPage(blog(), async (page) => {
      await page.goto("/");
      await tabTo(page, "Skip to the content");
      await page.keyboard.press("Enter");
      await page.waitForURL(/#main$/);
      assert.equal(await page.getByRole("main").evaluate((main) => main === main.ownerDocument.activeElement), true);

      await page.goto("/posts/new");
      await tabTo(page, "E-mail address");
      await page.keyboard.type(author.email);
      await tabTo(page, "Password");
      await page.keyboard.type(author.password);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Write" }).waitFor();

      await tabTo(page, "Title");
      await page.keyboard.type("By keyboard");
      await tabTo(page, "Text");
      await page.keyboard.type("First line");
      await page.keyboard.press("Enter");
      await page.keyboard.type("second line");
      await tabTo(page, "Save draft");
      await page.keyboard.press("Space");
      await page.getByRole("status").getByText("Your draft is saved.").waitFor();

      await tabTo(page, "Publish “By keyboard”");
      await page.keyboard.press("Enter");
      await page.getByRole("status").getByText("Your post is published.").waitFor();
    });
  });

  test("the colour scheme follows the user's preference, and so does reduced motion", async () => {
    await withPage(blog(), async (page) => {
      const style = (property: string, selector = "html") =>
        page
          .locator(selector)
          .first()
          .evaluate((element, name) => {
            const { getComputedStyle } = globalThis as unknown as {
              getComputedStyle(element: unknown): { getPropertyValue(name: string): string };
            };
            return getComputedStyle(element).getPropertyValue(name);
          }, property);
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "no-preference" });
      await page.goto("/login");
      const light = [await style("background-color"), await style("color")];
      assert.notEqual(await style("transition-duration", ".button"), "0s");
      await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      const dark = [await style("background-color"), await style("color")];
      assert.equal(await style("transition-duration", ".button"), "0s");
      const brightness = (color: string) => (color.match(/\d+/g) ?? []).reduce((sum, part) => sum + Number(part), 0);
      assert.ok(light.map(brightness).every((value) => value > 0));
      assert.ok(brightness(light[0] ?? "") > brightness(light[1] ?? ""), "dark on light");
      assert.ok(brightness(dark[0] ?? "") < brightness(dark[1] ?? ""), "light on dark");
    });
  });
});
