import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { services, withPostgres } from "../packages/data/test/support/services.ts";
import { type Block, readBlocks } from "./support/markdown.ts";
import { PageReader } from "./support/page-reader.ts";
import { root } from "./support/run.ts";
import { Visitor } from "./support/visitor.ts";

const page = readFileSync(join(root, "docs/tutorial.md"), "utf8");
const blocks = readBlocks().filter(({ document }) => document === "docs/tutorial.md");

interface Step {
  readonly title: string;
  readonly blocks: readonly Block[];
}

function readSteps(): Step[] {
  const headings = [...page.matchAll(/^## (.+)$/gm)].map(({ index, 1: title = "" }) => ({
    title,
    line: page.slice(0, index).split("\n").length,
  }));
  const toEnd = (index: number) => headings[index]?.line ?? Infinity;
  return headings
    .map(({ title, line: start }, index) => ({
      title,
      blocks: blocks.filter(({ line }) => line > start && line < toEnd(index + 1)),
    }))
    .filter(({ title }) => /^\d/.test(title));
}

/** What the text of a step tells a reader to do in a browser. */
async function visit({ title }: Step, reader: PageReader): Promise<void> {
  if (title.includes("recover")) return recover(new Visitor(await reader.toReal("http://127.0.0.1:8081")), reader);
  if (!title.includes("pages")) return;
  const visitor = new Visitor(await reader.toReal("http://127.0.0.1:8081"));
  assert.equal((await visitor.open("/posts/new")).path, "/login?next=%2Fposts%2Fnew");
  const form = await visitor.submit("/login?next=%2Fposts%2Fnew", {
    email: "ada@example.com",
    password: "correct horse",
  });
  assert.equal(form.path, "/posts/new");
  const post = await visitor.submit("/posts/new", { title: "Second", summary: "Short", text: "<b>Tea</b>" });
  assert.match(post.html, /<h1>Second<\/h1>[\s\S]*&lt;b&gt;Tea/);
  assert.match((await visitor.open("/posts")).html, /Second<\/a> <span class="soft">Short</);
}

/** Chooses another password with the link in a mail. */
async function recover(visitor: Visitor, reader: PageReader): Promise<void> {
  const email = "ada@example.com";
  assert.match((await visitor.open("/login")).html, /<a href="\/account\/reset">Forgot your password\?<\/a>/);
  await visitor.submit("/account/reset", { email });
  const [link = ""] = (await reader.waitForMail(/^Reset your password/)).links;
  const { origin, pathname, search } = new URL(link);
  assert.equal(origin, "http://127.0.0.1:8081");
  await visitor.submit(pathname + search, { password: "battery staple" });
  const shown = await visitor.submit("/login?next=%2Faccount", { email, password: "battery staple" });
  assert.equal(shown.path, "/account");
}

describe("docs/tutorial.md", () => {
  const steps = readSteps();
  const database = Promise.withResolvers<string>();
  const done = Promise.withResolvers<void>();
  const open =
    services.postgres === undefined
      ? database.resolve("")
      : withPostgres((url) => {
          database.resolve(url);
          return done.promise;
        });
  const reader = database.promise.then((DATABASE_URL) => {
    const stores = { DATABASE_URL, REDIS_URL: services.redis ?? "" };
    return new PageReader({ isFull: process.env.TENON_FULL === "1", stores });
  });
  after(async () => {
    await (await reader).stop();
    done.resolve();
    await open;
  });

  test("has nine steps", () => {
    assert.equal(steps.length, 9);
  });

  let followed = 0;
  for (const [index, step] of steps.entries()) {
    const skip = step.title.includes("PostgreSQL") && services.postgres === undefined;
    test(`step ${step.title}`, { skip }, async () => {
      assert.equal(followed, index, "the steps before have worked");
      await (await reader).follow(step.blocks);
      await visit(step, await reader);
      followed++;
    });
  }
});
