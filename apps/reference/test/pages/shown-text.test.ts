import assert from "node:assert/strict";
import { test } from "node:test";
import { checkLine, toShownName, toShownTitle, withoutBidiControls } from "../../src/pages/shown-text.ts";
import { UsersService } from "../../src/users/users.service.ts";
import { addPost, describePages, visit } from "../support/pages.ts";
import { uniqueEmail } from "../support/users.ts";

/** Invisible text: spaces, joiners, direction marks, fillers, a Braille blank, controls. */
const unseen = ["", " ", "\u200b\u200d", "\u2060\ufeff", "\u202e\u2066", "\u3164\u115f", "\u2800", "\u0007", "\u00ad"];

test("a line needs a visible character, and has a maximum length", () => {
  for (const line of unseen) {
    assert.deepEqual(
      checkLine("name", line, 80).map(({ message }) => message),
      ["is required"],
    );
    assert.equal(toShownTitle(line), "Untitled");
    assert.equal(toShownName(line), "Anonymous");
  }
  for (const line of ["a", "木", "🪵", "؟", "-", "👩\u200d💻", "🪵".repeat(80)]) {
    assert.deepEqual(checkLine("name", line, 80), [], line);
    assert.equal(toShownName(line), line);
  }
  const [issue] = checkLine("name", "🪵".repeat(81), 80);
  assert.equal(issue?.message, "must have at most 80 characters");
});

test("bidi controls do not affect the words after them", () => {
  assert.equal(withoutBidiControls("a\u202eb\u202cc\u2066d\u2069"), "abcd");
});

describePages("Names and titles", (blog) => {
  test("a form accepts a visible name of up to 80 characters and trims it", async () => {
    for (const name of ["x".repeat(81), "\u200b \u202e", "   "]) {
      const visitor = await visit(blog());
      await visitor.get("/register");
      const email = uniqueEmail();
      const reply = await visitor.submit("/register", { name, email, password: "correct horse" });
      assert.deepEqual([reply.status, reply.location], [303, "/register"]);
      assert.match((await visitor.follow(reply)).text, /id="name-problem">Name (?:is required|must have at most 80)/);
      assert.equal(await blog().app.get(UsersService).findByEmail(email), undefined);
    }
    const visitor = await visit(blog());
    await visitor.get("/register");
    const email = uniqueEmail();
    await visitor.submit("/register", { name: `  ${"x".repeat(80)} `, email, password: "correct horse" });
    assert.equal((await blog().app.get(UsersService).findByEmail(email))?.name, "x".repeat(80));
  });

  test("the problems of a registration are listed in the order of its fields", async () => {
    const visitor = await visit(blog());
    await visitor.get("/register");
    const { text } = await visitor.follow(await visitor.submit("/register", { name: "", email: "", password: "" }));
    const order = [...text.matchAll(/<a href="#(name|email|password)">/g)].map(([, name]) => name);
    assert.deepEqual(order, ["name", "email", "password"]);
  });

  test("a title of only invisible characters is rejected by the form, and shown as Untitled if it comes from the API", async () => {
    const author = await blog().users.one();
    const visitor = await visit(blog(), author);
    await visitor.get("/posts/new");
    const { status, text } = await visitor.submit("/posts", { title: "\u200b\u202e", content: "c" });
    assert.equal(status, 422);
    assert.match(text, /Title is required/);
    const { id } = await addPost(blog(), author, { title: "\u200b", published: true });
    assert.match((await visitor.get(`/posts/${id}`)).text, /<h1 dir="auto">Untitled<\/h1>/);
  });

  test("a title with bidi controls affects only its own element", async () => {
    const author = await blog().users.one();
    const { id } = await addPost(blog(), author, { title: "gnp\u202efdp.exe" });
    const visitor = await visit(blog(), author);
    const { text } = await visitor.get(`/posts/${id}`);
    assert.match(text, /<title>gnpfdp\.exe · Workbench<\/title>/);
    assert.ok(text.includes('Edit<span class="hidden"> “<bdi>gnp\u202efdp.exe</bdi>”</span>'));
  });

  test("the header shows who is logged in", async () => {
    const { text } = await (await visit(blog(), await blog().users.one())).get("/");
    assert.match(text, /<li class="who"><span>Logged in as<\/span> <bdi>Ada<\/bdi><\/li>/);
  });
});
