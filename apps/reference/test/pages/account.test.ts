import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountEvents, Accounts } from "@tenon/accounts";
import { sentMails } from "@tenon/mail/testing";
import { Authenticator } from "../../../../packages/auth/test/support/authenticator.ts";
import { UsersService } from "../../src/users/users.service.ts";
import { withBlog } from "../support/blog.ts";
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

  test("a key that is created over the API is reported by mail, and the pages list and revoke it", () =>
    withBlog(blog().urls, async (api) => {
      const user = await blog().users.add();
      const created = await api.client.post<{ key: string; id: string }>("/auth/api-keys", {}, { token: user.token });
      const { key, id } = created.body;
      const show = async () => (await api.client.get("/auth/key", { headers: { "x-api-key": key } })).status;
      assert.deepEqual([created.status, await show()], [201, 200]);
      const [event] = await blog().app.get(AccountEvents).list(user.user.id);
      assert.deepEqual([event?.event, event?.actor, event?.address], ["api key created", "user", "127.0.0.1"]);
      const visitor = await visit(blog(), user);
      assert.match((await visitor.get("/account")).text, /One program may act for you/);
      assert.match((await visitor.get("/account/api-keys")).text, /may do everything/);
      const { location } = await visitor.submit(`/account/api-keys/${id}?_method=DELETE`, {});
      assert.deepEqual([location, await show()], ["/account/api-keys", 401]);
      const mails = (await sentMails(blog().app)).filter(({ to }) => to.address === user.email);
      const subjects = mails.map(({ subject }) => subject).sort();
      assert.deepEqual(subjects, [
        "Workbench: An API key of your account was revoked",
        "Workbench: An API key was created for your account",
      ]);
    }));

  test("a second factor and a reset of the password end the access tokens from before", () =>
    withBlog(blog().urls, async (api) => {
      const { app, clock, users } = blog();
      const { email, password, token: first, user } = await users.add();
      await app.get(Accounts).verifyAs("system", user.id);
      const createKey = async (token: string) => (await api.client.post("/auth/api-keys", {}, { token })).status;
      assert.equal(await createKey(first), 201);
      const visitor = await visit(blog(), { email, password, token: first, user });
      const factor = "/account/second-factor";
      await visitor.get(factor);
      await visitor.submit(factor, {});
      const [, secret = ""] = /class="key">([^<]+)</.exec((await visitor.get(`${factor}/setup`)).text) ?? [];
      const phone = new Authenticator(secret.replaceAll(" ", ""), () => clock.now());
      const enabled = await visitor.submit(`${factor}/confirm`, { code: phone.code() });
      const [code] = /[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}/.exec(enabled.text) ?? [];
      assert.equal(await createKey(first), 401);

      const login = await api.client.post<{ token: string }>("/auth/login", { email, password, code });
      assert.equal(await createKey(login.body.token), 201);
      visitor.cookies.clear();
      await visitor.get("/account/reset");
      await visitor.submit("/account/reset", { email });
      const links = (await sentMails(app)).filter(({ to }) => to.address === email).flatMap((mail) => mail.links);
      const link = links.find((one) => one.includes("/account/reset/confirm?token="));
      const { pathname, search, searchParams } = new URL(link ?? "mail:missing");
      await visitor.get(pathname + search);
      await visitor.submit(pathname, { token: searchParams.get("token") ?? "", password: "battery staple" });
      assert.equal(await createKey(login.body.token), 401);
    }));

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
