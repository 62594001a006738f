import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiKeys, Sessions } from "@tenon/auth";
import { sentMails } from "@tenon/mail/testing";
import type { Page } from "playwright-core";
import { Authenticator } from "../../../../packages/auth/test/support/authenticator.ts";
import { toMinute } from "../../src/pages/post-view.ts";
import { UsersService } from "../../src/users/users.service.ts";
import { assertAccessible } from "../support/axe.ts";
import type { Blog } from "../support/blog.ts";
import { describeInBrowser, withPage } from "../support/browser.ts";
import { tabTo } from "../support/keyboard.ts";
import { uniqueEmail } from "../support/users.ts";

const password = "correct horse";
const newPassword = "battery staple";

/** A user at the keyboard, who reads the mails. */
class Walker {
  readonly page: Page;
  readonly #blog: Blog;

  constructor(blog: Blog, page: Page) {
    this.#blog = blog;
    this.page = page;
  }

  /** Presses the link or the button with this name, and waits for the page with this heading. */
  async press(name: string, heading: string): Promise<void> {
    await tabTo(this.page, name);
    await this.page.keyboard.press("Enter");
    await this.sees(heading);
  }

  async type(fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [label, text] of Object.entries(fields)) {
      await tabTo(this.page, label);
      await this.page.keyboard.type(text);
    }
  }

  async sees(heading: string): Promise<void> {
    await this.page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await assertAccessible(this.page, heading, true);
  }

  /** The link in the newest mail to this address. */
  async follow(address: string, heading: string): Promise<void> {
    const mails = (await sentMails(this.#blog.app)).filter(({ to }) => JSON.stringify(to).includes(address));
    const { pathname, search } = new URL(mails.at(-1)?.links[0] ?? "mail:missing");
    const headers = (await this.page.goto(`${pathname}${search}`))?.headers() ?? {};
    // the token must not leave the site; with "no-referrer" the button would send `Origin: null`, which is refused
    assert.deepEqual([headers["referrer-policy"], headers["cache-control"]], ["same-origin", "no-store"]);
    await this.sees(heading);
  }

  /** The message at the top of the page. */
  async reads(text: RegExp): Promise<void> {
    await this.page.getByRole("status").getByText(text).waitFor();
  }

  async logOut(): Promise<void> {
    await this.press("Log out", "Workbench");
    await this.press("Log in", "Log in");
  }

  async logIn(email: string, secret: string, heading: string): Promise<void> {
    await this.type({ "E-mail address": email, Password: secret });
    await this.page.keyboard.press("Enter");
    await this.sees(heading);
  }
}

describeInBrowser("Accounts in a browser", (blog) => {
  for (const width of [1280, 390]) {
    test(`a user can do everything with an account by keyboard alone, at ${width} pixels`, async () => {
      const [email, newEmail] = [uniqueEmail(), uniqueEmail()];
      const viewport = { width, height: 844 };
      const open = (page: Page) => new Walker(blog(), page);
      await withPage(
        blog(),
        async (page) => {
          const walker = open(page);
          await page.goto("/register");
          await walker.type({ Name: "Grace", "E-mail address": email, Password: password });
          await walker.press("Register", "My posts");

          await walker.press("Account", "Account");
          await page.getByText("Your e-mail address is not verified").waitFor();
          await walker.follow(email, "Verify your e-mail address");
          await walker.press("Verify the address", "Account");
          assert.equal(await page.getByText("Your e-mail address is not verified").count(), 0);

          await walker.press("Turn on two-step login", "Two-step login");
          await walker.press("Turn on two-step login", "Turn on two-step login");
          const key = (await page.locator(".key").innerText()).replaceAll(" ", "");
          const phone = new Authenticator(key, () => blog().clock.now());
          await walker.type({ Code: phone.wrongCode() });
          await walker.press("Turn on", "Turn on two-step login");
          await page.getByRole("alert").waitFor();
          await walker.type({ Code: phone.code() });
          await walker.press("Turn on", "Your recovery codes");
          const codes = await page.locator(".codes code").allInnerTexts();
          assert.equal(codes.length, 10);
          await page.getByRole("button", { name: "Log out" }).waitFor(); // the session has another id
          await walker.press("I have kept them", "Account");
          await page.getByText("10 recovery codes are left.").waitFor();

          await walker.logOut();
          blog().clock.advance("30s"); // a code is accepted once
          await walker.logIn(email, password, "Enter your code");
          await walker.type({ Code: phone.code() });
          await walker.press("Log in", "My posts");

          await walker.logOut();
          await walker.logIn(email, password, "Enter your code");
          await walker.type({ Code: codes[0] ?? "" });
          await walker.press("Log in", "My posts");
          await walker.press("Account", "Account");
          await page.getByText("9 recovery codes are left.").waitFor();

          await walker.press("Change the e-mail address", "Change the e-mail address");
          await walker.type({ "New e-mail address": newEmail });
          await walker.press("Send the link", "Account");
          await walker.follow(newEmail, "Confirm your new e-mail address");
          await walker.press("Use the new address", "Account");
          await page.getByText(newEmail).first().waitFor();

          const user = await blog().app.get(UsersService).findByEmail(newEmail);
          assert.ok(user !== undefined);
          const client = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1";
          const sessions = blog().app.get(Sessions);
          await sessions.create(user.id, { address: "192.0.2.7", client });
          await walker.press("Show where you are logged in", "Where you are logged in");
          await page.getByText("Safari on iPhone").first().waitFor();
          await walker.press("Log out everywhere else", "Where you are logged in");
          assert.equal((await sessions.list(user.id)).length, 1);
          await page.getByText("You are logged in nowhere else.").waitFor();

          const { record } = await blog()
            .app.get(ApiKeys)
            .create(user.id, { name: "deploy", scopes: ["posts:write"] });
          await walker.press("Account", "Account");
          await walker.press("Show the API keys", "API keys");
          await page.getByText("may do posts:write").waitFor();
          await walker.press(`Revoke deploy, created ${toMinute(record.created_at).text}`, "API keys");
          await page.getByText("You have no API keys.").waitFor();

          await walker.press("Account", "Account");
          await walker.press("Change the password", "Change the password");
          await walker.type({ "Current password": password, "New password": newPassword });
          await walker.press("Change the password", "Account");

          blog().clock.advance("11m");
          await walker.press("Delete the account", "Is it you?");
          await walker.type({ Password: newPassword, Code: phone.code() });
          await walker.press("Continue", "Delete your account?");
          await walker.press("Delete everything", "Workbench");
          assert.equal(await blog().app.get(UsersService).findByEmail(newEmail), undefined);
        },
        { viewport },
      );
    });
  }

  test("a forgotten password is reset by a link, which works once", async () => {
    const { email } = await blog().users.add();
    await withPage(
      blog(),
      async (page) => {
        const walker = new Walker(blog(), page);
        await page.goto("/login");
        await walker.press("Forgot your password?", "Forgot your password?");
        await walker.type({ "E-mail address": email });
        await walker.press("Send the link", "Forgot your password?");
        await walker.reads(/mail/);
        await walker.follow(email, "Choose a new password");
        await walker.type({ "New password": newPassword });
        await walker.press("Save the password", "Log in");
        await walker.logIn(email, newPassword, "My posts");
        await page.goBack();
        await page.goBack();
        const { links } = (await sentMails(blog().app)).findLast(({ subject }) => subject.includes("Reset")) ?? {};
        const { pathname, search } = new URL(links?.[0] ?? "mail:missing");
        await page.goto(`${pathname}${search}`);
        await walker.type({ "New password": password });
        await walker.press("Save the password", "This link does not work");
      },
      { viewport: { width: 390, height: 844 } },
    );
  });
});
