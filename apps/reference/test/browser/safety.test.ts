import assert from "node:assert/strict";
import { test } from "node:test";
import { api, type Context, defineModule } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { Database } from "@tenon/data";
import type { Page } from "playwright-core";
import type { Schema } from "../../src/database/schema.ts";
import { describeInBrowser, withPage } from "../support/browser.ts";
import { addPost, storedPost } from "../support/pages.ts";
import { WebClient } from "../support/web-client.ts";

const isFull = process.env.TENON_FULL === "1";

/** Each adds to `ran` when it runs. */
const payloads = [
  "<script>window.ran = 1</script>",
  "</title><script>window.ran = 2</script>",
  '"><script>window.ran = 3</script>',
  "<img src=x onerror='window.ran = 4'>",
  '" autofocus onfocus="window.ran = 5',
  "' onmouseover='window.ran = 6",
  "</textarea><script>window.ran = 7</script>",
  "<svg onload=window.ran=8>",
  "<details open ontoggle=window.ran=9>",
  "<iframe srcdoc='<script>parent.ran = 10</script>'></iframe>",
  "<%= process.exit() %><%~ '<script>window.ran = 11</script>' %>",
  "{{constructor.constructor('window.ran = 12')()}}",
];
const markdown = [
  "[a](javascript:window.ran=20)",
  "![a](x){onerror=window.ran=21}",
  '![a](x" onerror="window.ran=22)',
  "[a](data:text/html,<script>opener.ran=23</script>)",
  "[a](<java\tscript:window.ran=24>)",
  "<javascript:window.ran=25>",
  '```"><script>window.ran=26</script>\ncode\n```',
  "[a]: javascript:window.ran=27\n\n[a]",
];

/** With the content security policy disabled, so that only the escaping of the pages counts. */
const unprotected = { bypassCSP: true };

interface Element {
  readonly tagName: string;
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
}

async function assertNothingRan(page: Page, where: string): Promise<void> {
  const found = await page.evaluate(() => {
    const root = globalThis as unknown as {
      ran?: unknown;
      document: { querySelectorAll(s: string): Iterable<Element> };
    };
    const elements = [...root.document.querySelectorAll("*")];
    const attributes = elements.flatMap((element) =>
      [...element.attributes].map(({ name, value }) => ({ name, value })),
    );
    return {
      ran: root.ran,
      tags: [...new Set(elements.map(({ tagName }) => tagName.toLowerCase()))],
      handlers: attributes.filter(({ name }) => name.startsWith("on")),
      links: attributes.filter(({ name }) => name === "href" || name === "action" || name === "src"),
    };
  });
  assert.equal(found.ran, undefined, where);
  assert.deepEqual(found.handlers, [], where);
  for (const tag of ["script", "style", "iframe", "img", "object", "embed", "base"]) {
    assert.ok(!found.tags.includes(tag), `${where}: ${tag}`);
  }
  for (const { value } of found.links) {
    assert.match(new URL(value, page.url()).protocol, /^(?:https?|mailto):$/, `${where}: ${value}`);
  }
}

describeInBrowser("Hostile texts", (blog) => {
  test("a script in a title, in content or in a name never runs on any page that shows it", async () => {
    const author = await blog().users.one();
    const all = [...payloads, ...markdown];
    await blog()
      .app.get(Database<Schema>)
      .updateTable("users")
      .set({ name: payloads.join(" ") })
      .where("id", "=", author.user.id)
      .execute();
    const first = await addPost(blog(), author, { title: payloads.join(" "), content: all.join("\n\n") });
    await Promise.all(all.map((text) => addPost(blog(), author, { title: text, content: text })));
    await withPage(
      blog(),
      async (page) => {
        page.on("dialog", (dialog) => assert.fail(`a dialog: ${dialog.message()}`));
        const ends = isFull ? ["", "/edit", "/delete"] : ["", "/edit"];
        const paths = [...(isFull ? ["/", "/my-posts"] : ["/"]), ...ends.map((end) => `/posts/${first.id}${end}`)];
        for (const path of paths) {
          await page.goto(path);
          await assertNothingRan(page, path);
          const older = page.getByRole("link", { name: "Older posts" });
          if ((await older.count()) > 0) {
            await older.click();
            await assertNothingRan(page, `${path}, the next page`);
          }
        }
      },
      { as: author, ...unprotected },
    );
  });

  test("a script in the input of an invalid form, an expired form or an error page never runs", async () => {
    const author = await blog().users.add();
    await withPage(
      blog(),
      async (page) => {
        for (const texts of isFull ? [payloads, payloads.toReversed()] : [payloads]) {
          await page.goto("/posts/new");
          await page.getByLabel("Title").fill(texts.join(" "));
          await page.getByLabel("Text").fill(texts.join("\n"));
          await page.getByRole("button", { name: "Save draft" }).click();
          await page.getByRole("alert").waitFor();
          await assertNothingRan(page, "a form that failed");
        }
        await page.context().clearCookies({ name: "session_id" });
        await page.getByRole("button", { name: "Save draft" }).click();
        await page.getByRole("heading", { name: "Your text was not saved" }).waitFor();
        await assertNothingRan(page, "a form that came too late");
        await page.goto("/register");
        await page.getByLabel("Name").fill(payloads.join(" "));
        await page.getByLabel("E-mail address").fill(payloads.join(" "));
        await page.getByRole("button", { name: "Register" }).click();
        await page.getByRole("alert").waitFor();
        await assertNothingRan(page, "/register");
        for (const path of [
          `/login?next=${encodeURIComponent(payloads.join(""))}`,
          `/${encodeURIComponent(payloads[0] ?? "")}`,
        ]) {
          await page.goto(path);
          await assertNothingRan(page, path);
        }
      },
      { as: author, ...unprotected },
    );
  });

  test("the content security policy stops even an injected script", async () => {
    await withPage(blog(), async (page) => {
      const violations: string[] = [];
      page.removeAllListeners("console");
      page.on("console", (message) => violations.push(message.text()));
      await page.goto("/");
      const ran = await page.evaluate(() => {
        const root = globalThis as unknown as {
          ran?: unknown;
          document: { createElement(n: string): { textContent: string }; body: { append(e: unknown): void } };
        };
        const script = root.document.createElement("script");
        script.textContent = "globalThis.ran = 1";
        root.document.body.append(script);
        return root.ran;
      });
      assert.equal(ran, undefined);
      assert.ok(violations.some((text) => /Content Security Policy/.test(text)));
    });
  });
});

describeInBrowser("The feed", (blog) => {
  test("the feed is well-formed XML, whatever titles and texts contain", async () => {
    const author = await blog().users.one();
    const forbidden = "]]></title>&amp;<!-- \u0001\u000b\ufffe\uffff\u{1f980}";
    await withPage(blog(), async (page) => {
      for (const [day, hostile] of [payloads.slice(0, 9), [...payloads.slice(9), forbidden]].entries()) {
        const created_at = `2099-01-0${day + 1}T00:00:00.000Z`;
        for (const title of hostile) await addPost(blog(), author, { title, content: title, created_at });
        const { text } = await new WebClient(blog().client.url).get("/feed.xml");
        const found = await page.evaluate<{ error: string; titles: string[] }>(`(() => {
          const feed = new DOMParser().parseFromString(${JSON.stringify(text)}, "application/xml");
          const entries = [...feed.getElementsByTagNameNS("http://www.w3.org/2005/Atom", "entry")];
          return {
            error: feed.querySelector("parsererror")?.textContent ?? "",
            titles: entries.map((entry) => entry.querySelector("title").textContent),
          };
        })()`);
        assert.equal(found.error, "");
        for (const title of hostile) {
          const shown = title.replaceAll(/[\u0001\u000b\ufffe\uffff]/g, "\ufffd");
          assert.ok(found.titles.includes(shown), title);
        }
      }
    });
  });
});

describeInBrowser("Forged forms", (blog) => {
  test("a form of another site is rejected, with or without a token, and the visitor stays logged in", async () => {
    const author = await blog().users.one();
    const post = await addPost(blog(), author);
    const target = `${blog().client.url}/posts/${post.id}?_method=DELETE`;
    const attack = (ctx: Context) =>
      new Response(
        `<form method="post" action="${target}"><input name="_csrf" value="${ctx.query("token")}"></form>
        <script>document.forms[0].submit()</script>`,
        { headers: { "content-type": "text/html" } },
      );
    class Evil {
      routes() {
        return [{ method: "GET", path: "/", handler: attack } as const];
      }
    }
    const evil = await createTestApp(defineModule({ name: "evil", declarations: [Evil] }), api());
    try {
      const { url } = await evil.listen({ port: 0, signals: false });
      await withPage(
        blog(),
        async (page) => {
          await page.goto("/my-posts");
          const token = await page.locator('input[name="_csrf"]').first().inputValue();
          // another port is another origin of the same site, to which browsers send every cookie; another name is another site
          for (const origin of [url, url.replace("127.0.0.1", "localhost")]) {
            for (const stolen of ["", token]) {
              await page.goto(`${origin}/?token=${stolen}`);
              await page.waitForURL(target);
              await page.getByRole("heading", { level: 1 }).getByText("That was refused").waitFor();
              assert.deepEqual(await storedPost(blog(), post.id), post);
            }
          }
          await page.goto("/my-posts");
          await page.getByRole("heading", { level: 1, name: "My posts" }).waitFor();
        },
        { as: author },
      );
    } finally {
      await evil.stop();
    }
  });

  test("a form of this site without its token is rejected", async () => {
    const author = await blog().users.one();
    const post = await addPost(blog(), author);
    await withPage(
      blog(),
      async (page) => {
        await page.goto(`/posts/${post.id}/delete`);
        await page.locator('main input[name="_csrf"]').evaluate((field) => field.remove());
        await page.getByRole("button", { name: "Delete it" }).click();
        await page.getByText("This form has expired.").waitFor();
        assert.deepEqual(await storedPost(blog(), post.id), post);
      },
      { as: author },
    );
  });
});
