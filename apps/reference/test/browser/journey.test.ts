import assert from "node:assert/strict";
import { test } from "node:test";
import { describeInBrowser, withPage } from "../support/browser.ts";
import { addPost, postsOf, storedPost } from "../support/pages.ts";
import { uniqueEmail } from "../support/users.ts";

const password = "correct horse";

describeInBrowser("The blog in a browser", (blog) => {
  test("a user can register, write, publish, list, edit and delete a post with scripts disabled", async () => {
    const email = uniqueEmail();
    await withPage(
      blog(),
      async (page) => {
        await page.goto("/");
        await page.getByRole("link", { name: "Register", exact: true }).click();
        await page.getByLabel("Name").fill("Grace");
        await page.getByLabel("E-mail address").fill(email);
        await page.getByLabel("Password").fill(password);
        await page.getByRole("button", { name: "Register" }).click();
        await page.getByRole("status").getByText("Welcome, Grace. Your account is ready.").waitFor();

        await page.getByRole("link", { name: "Write your first post" }).click();
        await page.getByLabel("Title").fill("A first post");
        await page.getByLabel("Text").fill("With *some* words.");
        await page.getByRole("button", { name: "Save draft" }).click();
        await page.getByText("Only you can see it.").waitFor();
        await page.getByRole("button", { name: "Publish" }).click();
        await page.getByRole("status").getByText("Your post is published.").waitFor();

        await page.getByRole("link", { name: "Workbench" }).click();
        await page.getByRole("link", { name: "A first post" }).click();
        assert.equal(await page.locator("em").innerText(), "some");

        await page.getByRole("link", { name: "Edit" }).click();
        assert.equal(await page.getByLabel("Text").inputValue(), "With *some* words.");
        await page.getByLabel("Title").fill("A better title");
        await page.getByRole("button", { name: "Save changes" }).click();
        await page.getByRole("heading", { level: 1, name: "A better title" }).waitFor();

        await page.getByRole("link", { name: "My posts" }).click();
        await page.getByRole("link", { name: "Delete “A better title”" }).click();
        await page.getByRole("heading", { name: "Delete this post?" }).waitFor();
        await page.getByRole("button", { name: "Delete it" }).click();
        await page.getByRole("status").getByText("Your post is deleted.").waitFor();
        await page.getByRole("link", { name: "Workbench" }).click();
        await page.getByText("Nothing on the bench yet").waitFor();
      },
      { javaScriptEnabled: false },
    );
  });

  test("a wrong password keeps the address and announces the reason, and the right one logs in", async () => {
    const user = await blog().users.one();
    await withPage(blog(), async (page) => {
      await page.goto("/posts/new");
      assert.equal(new URL(page.url()).pathname, "/login", "the page asks who is there first");
      await page.getByLabel("E-mail address").fill(user.email);
      await page.getByLabel("Password").fill("wrong password");
      await page.getByRole("button", { name: "Log in" }).click();
      const alert = page.getByRole("alert");
      assert.match(await alert.innerText(), /No account has this e-mail address and password\./);
      assert.equal(await page.getByLabel("E-mail address").inputValue(), user.email);
      assert.equal(await page.getByLabel("Password").inputValue(), "");
      await page.getByLabel("Password").fill(user.password);
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByRole("heading", { level: 1, name: "Write" }).waitFor();
      assert.equal(new URL(page.url()).pathname, "/posts/new", "and leads back");
    });
  });

  test("an invalid post keeps its text, and the focused summary links to the field", async () => {
    const text = `A long evening's work.\n\n<b>"quoted" & more</b>\n${"line\n".repeat(200)}`;
    await withPage(
      blog(),
      async (page) => {
        await page.goto("/posts/new");
        await page.getByLabel("Text").fill(text);
        await page.getByRole("button", { name: "Publish" }).click();
        const alert = page.getByRole("alert");
        await alert.waitFor();
        assert.equal(await page.getByLabel("Text").inputValue(), text);
        assert.equal(await alert.evaluate((element) => element === element.ownerDocument.activeElement), true);
        await alert.getByRole("link", { name: "Title is required." }).click();
        const title = page.getByLabel("Title");
        assert.equal(await title.evaluate((element) => element === element.ownerDocument.activeElement), true);
        assert.equal(await title.getAttribute("aria-invalid"), "true");
        await title.fill("Now with a title");
        await page.getByRole("button", { name: "Publish" }).click();
        await page.getByRole("heading", { level: 1, name: "Now with a title" }).waitFor();
      },
      { as: await blog().users.one() },
    );
  });

  test("an invalid registration keeps its input except the password", async () => {
    await withPage(blog(), async (page) => {
      await page.goto("/register");
      await page.getByLabel("Name").fill("Grace");
      await page.getByLabel("E-mail address").fill("grace@");
      await page.getByLabel("Password").fill("short");
      await page.getByRole("button", { name: "Register" }).click();
      await page.getByText("Password must have at least 8 characters.").first().waitFor();
      assert.equal(await page.getByLabel("Name").inputValue(), "Grace");
      assert.equal(await page.getByLabel("E-mail address").inputValue(), "grace@");
      assert.equal(await page.getByLabel("Password").inputValue(), "");
    });
  });

  test("after a logout the back button shows no private page", async () => {
    const author = await blog().users.add();
    const draft = await addPost(blog(), author, { title: "A private draft", published: false });
    await withPage(
      blog(),
      async (page) => {
        for (const path of ["/my-posts", `/posts/${draft.id}`, `/posts/${draft.id}/edit`]) {
          await page.goto(path);
          assert.ok((await page.content()).includes(draft.title));
        }
        await page.getByRole("button", { name: "Log out" }).click();
        await page.getByRole("status").getByText("You are logged out.").waitFor();
        for (let steps = 0; steps < 3; steps++) {
          await page.goBack({ waitUntil: "commit" }); // a page restored from the cache fires no other event
          await page.getByRole("heading", { level: 1 }).waitFor();
          assert.ok(!(await page.content()).includes(draft.title), page.url());
        }
      },
      { as: author },
    );
  });

  test("an expired form is saved with one more click, with scripts disabled", async () => {
    const author = await blog().users.add();
    await withPage(
      blog(),
      async (page) => {
        await page.goto("/posts/new");
        await page.getByLabel("Title").fill("Overnight");
        await page.getByLabel("Text").fill("The work of a night.");
        await page.context().clearCookies({ name: "tenon_session" });
        await page.getByRole("button", { name: "Publish" }).click();
        await page.getByText("This form has expired.").waitFor();
        assert.deepEqual(await postsOf(blog(), author), []);
        await page.getByRole("button", { name: "Save again" }).click();
        await page.getByRole("status").getByText("Your post is published.").waitFor();
        const [post] = await postsOf(blog(), author);
        assert.deepEqual([post?.content, post?.published], ["The work of a night.", true]);
      },
      { as: author, javaScriptEnabled: false },
    );
  });

  test("a form sent after a logout is saved after a login in another tab", async () => {
    const author = await blog().users.add();
    await withPage(
      blog(),
      async (page) => {
        await page.goto("/posts/new");
        await page.getByLabel("Title").fill("Overnight");
        await page.getByLabel("Text").fill("The work of a night.");
        await page.context().clearCookies();
        await page.getByRole("button", { name: "Save draft" }).click();
        const opened = page.context().waitForEvent("page");
        await page.getByRole("link", { name: "Log in in a new tab" }).click();
        const tab = await opened;
        await tab.getByLabel("E-mail address").fill(author.email);
        await tab.getByLabel("Password").fill(author.password);
        await tab.getByRole("button", { name: "Log in" }).click();
        await tab.getByRole("heading", { level: 1, name: "My posts" }).waitFor();
        // the token from before the login is rejected again: a login invalidates all earlier tokens
        await page.getByRole("button", { name: "Save again" }).click();
        await page.getByText(`You can save it again as ${author.user.name}.`).waitFor();
        assert.deepEqual(await postsOf(blog(), author), []);
        await page.getByRole("button", { name: "Save again" }).click();
        await page.getByRole("status").getByText("Your draft is saved.").waitFor();
        assert.equal((await postsOf(blog(), author))[0]?.content, "The work of a night.");
      },
      { as: author },
    );
  });

  test("deleting asks for confirmation, and can be cancelled", async () => {
    const author = await blog().users.add();
    const post = await addPost(blog(), author);
    await withPage(
      blog(),
      async (page) => {
        await page.goto(`/posts/${post.id}`);
        await page.getByRole("link", { name: "Delete" }).click();
        await page.getByRole("link", { name: "Keep it" }).click();
        await page.getByRole("heading", { level: 1, name: post.title }).waitFor();
        assert.deepEqual(await storedPost(blog(), post.id), post);
      },
      { as: author },
    );
  });
});
