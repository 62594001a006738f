import assert from "node:assert/strict";
import { test } from "node:test";
import { sentMails } from "@tenon/mail/testing";
import { UsersService } from "../../src/users/users.service.ts";
import { addPost, describePages, postsOf, visit } from "../support/pages.ts";
import { uniqueEmail } from "../support/users.ts";

describePages("The account pages", (blog) => {
  test("a registration sends one mail with a link to the pages, and a refused one sends none", async () => {
    const email = uniqueEmail();
    const visitor = await visit(blog());
    const register = async () => {
      await visitor.get("/register");
      return visitor.submit("/register", { email, password: "correct horse", name: "Ada" });
    };
    await register();
    visitor.cookies.clear();
    assert.equal((await register()).location, "/register", "the address is taken");
    const mails = (await sentMails(blog().app)).filter(({ to }) => JSON.stringify(to).includes(email));
    assert.deepEqual(
      mails.map(({ subject }) => subject),
      ["Verify your e-mail address for Workbench"],
    );
    const [{ html = "", text = "", links = [] } = {}] = mails;
    assert.match(links[0] ?? "", /^http:\/\/127\.0\.0\.1:\d+\/account\/verify\?token=[\w-]{43}$/);
    assert.ok(text.includes(links[0] ?? "missing") && html.includes(links[0] ?? "missing"));
    assert.doesNotMatch(html, /<img|<script/);
  });

  test("the link of a registration leads through the login to its button", async () => {
    const email = uniqueEmail();
    const fields = { email, password: "correct horse" };
    const visitor = await visit(blog());
    await visitor.get("/register");
    await visitor.submit("/register", { ...fields, name: "Ada" });
    visitor.cookies.clear();
    const [mail] = (await sentMails(blog().app)).filter(({ to }) => JSON.stringify(to).includes(email));
    const { pathname, search, searchParams } = new URL(mail?.links[0] ?? "mail:missing");
    const { location } = await visitor.get(pathname + search);
    assert.equal(location, `/login?next=${encodeURIComponent(pathname + search)}`);
    const form = (await visitor.get(location)).text;
    const [, next = ""] = /name="next" value="([^"]+)"/.exec(form) ?? [];
    assert.equal((await visitor.submit("/login", { ...fields, next })).location, pathname + search);
    assert.match((await visitor.get(pathname + search)).text, /Verify the address/);
    await visitor.submit(pathname, { token: searchParams.get("token") ?? "" });
    assert.doesNotMatch((await visitor.get("/account")).text, /not verified/);
  });

  test("deleting an account deletes its posts, and no other", async () => {
    const [author, other] = [await blog().users.add(), await blog().users.add()];
    for (const published of [true, false]) await addPost(blog(), author, { published });
    await addPost(blog(), other);
    const visitor = await visit(blog(), author);
    assert.match((await visitor.get("/account/delete")).text, /All your posts are deleted with it/);
    assert.equal((await visitor.submit("/account?_method=DELETE", {})).location, "/");
    assert.equal(await blog().app.get(UsersService).find(author.user.id), undefined);
    assert.deepEqual([(await postsOf(blog(), author)).length, (await postsOf(blog(), other)).length], [0, 1]);
  });
});
