// Takes screenshots of every page at two widths, light and dark: npm run screenshots [-- part-of-a-name …]
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Accounts } from "@tenon/accounts";
import { ApiKeys, Sessions } from "@tenon/auth";
import { digest } from "@tenon/core/internal";
import { KeyValue } from "@tenon/data";
import type { Page } from "playwright-core";
import { Authenticator } from "../../../packages/auth/test/support/authenticator.ts";
import { findChromium, launchChromium } from "../../../packages/core/test/support/chromium.ts";
import { sampleEmailOf } from "../src/database/sample-posts.ts";
import { UsersService } from "../src/users/users.service.ts";
import { type RunningPages, samplePassword, startPages, writeSamplePosts } from "./support/pages-app.ts";

const folder = fileURLToPath(new URL("../screenshots/", import.meta.url));
const newcomerEmail = "nils@example.com";
const wanted = process.argv.slice(2);
const executable = findChromium();
if (executable === undefined) {
  console.error("There is no Chromium on this machine. Install it, or name it: CHROMIUM=/path/to/chromium");
  process.exit(1);
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const [blog, empty] = await Promise.all([startPages(), startPages()]);
const browser = await launchChromium(executable);
try {
  const posts = await writeSamplePosts(blog);
  const [first = "", second = ""] = posts;
  const draft = posts.at(-2) ?? "";
  const reader = await open(blog);
  const author = await open(blog, sampleEmailOf("Ada Brandt"));
  const newcomer = await open(empty);

  await shoot(newcomer, "list-empty", "/");
  await shoot(reader, "list", "/");
  await shootForReadme(reader);
  const older = reader.getByRole("link", { name: "Older posts" });
  await shoot(reader, "list-older", (await older.getAttribute("href")) ?? "");
  await shoot(reader, "list-end", endOfList());
  await shoot(reader, "post", `/posts/${first}`);
  await shoot(author, "post-own", `/posts/${first}`);
  await shoot(author, "post-draft", `/posts/${draft}`);
  await shoot(author, "post-without-text", `/posts/${posts.at(-1)}`);

  await shoot(reader, "register", "/register");
  await reader.getByLabel("Name").fill("Ada");
  await reader.getByLabel("E-mail address").fill("ada at example.com");
  await reader.getByLabel("Password").fill("short");
  await reader.getByRole("button", { name: "Register" }).click();
  await shoot(reader, "register-problems");
  await shoot(reader, "login", "/login");
  await logIn(reader, "a wrong password");
  await shoot(reader, "login-problem");

  await shoot(author, "my-posts", "/my-posts");
  await shoot(author, "write", "/posts/new");
  await author.locator("summary").click();
  await shoot(author, "write-help");
  await author.getByLabel("Text").fill("Begin with the drawer that sticks. Everybody has one.");
  await author.getByRole("button", { name: "Save draft" }).click();
  await shoot(author, "write-problems");
  await shoot(author, "edit", `/posts/${first}/edit`);
  await shoot(author, "edit-draft", `/posts/${draft}/edit`);
  await shoot(author, "delete", `/posts/${draft}/delete`);

  await shoot(author, "error-403", `/posts/${second}/edit`);
  await shoot(author, "error-404", "/posts/gone");
  for (const status of [400, 401, 413, 429, 500, 503]) await shoot(reader, `error-${status}`, `/fails-with/${status}`);

  await author.goto(`${blog.url}/posts/new`);
  await author.getByLabel("Title").fill("Written overnight");
  await author.getByLabel("Text").fill("It was late, and the session ended before the sentence did.");
  await author.context().clearCookies({ name: "session_id" });
  await author.getByRole("button", { name: "Publish" }).click();
  await shoot(author, "unsaved");

  await register(newcomer);
  await shoot(newcomer, "my-posts-empty");
  await newcomer.getByRole("link", { name: "Write your first post" }).click();
  await newcomer.getByLabel("Title").fill("Hello");
  await newcomer.getByLabel("Text").fill("A first post, and a short one.");
  await newcomer.getByRole("button", { name: "Publish" }).click();
  await shoot(newcomer, "post-published");
  await shootAccount(newcomer, empty);
} finally {
  await browser.close();
  await Promise.all([blog.stop(), empty.stop()]);
}

async function open(pages: RunningPages, email?: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: pages.url, reducedMotion: "reduce" });
  if (email !== undefined) {
    await context.addCookies([{ name: "session_id", value: await pages.logIn(email), url: pages.url }]);
  }
  return context.newPage();
}

/** Every page of an account, whose owner has just registered. */
async function shootAccount(page: Page, { app }: RunningPages): Promise<void> {
  await shoot(page, "account-unverified", "/account");
  await shoot(page, "account-second-factor-unverified", "/account/second-factor");
  const user = await app.get(UsersService).findByEmail(newcomerEmail);
  await app.get(Accounts).verifyAs("operator:pictures", user?.id ?? "");
  await shoot(page, "account", "/account");
  await shoot(page, "account-password", "/account/password");
  await page.getByRole("button", { name: "Change the password" }).click();
  await shoot(page, "account-password-problems");
  await shoot(page, "account-email", "/account/email");
  await shoot(page, "account-second-factor", "/account/second-factor");
  await page.getByRole("button", { name: "Turn on two-step login" }).click();
  await shoot(page, "account-second-factor-setup");
  const key = await page.locator(".key").innerText();
  await page.getByLabel("Code").fill(new Authenticator(key.replaceAll(" ", "")).code());
  await page.getByRole("button", { name: "Turn on" }).click();
  await shoot(page, "account-recovery-codes");
  await shoot(page, "account-second-factor-on", "/account/second-factor");
  const client = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1";
  await app.get(Sessions).create(user?.id ?? "", { address: "192.0.2.7", client });
  await shoot(page, "account-sessions", "/account/sessions");
  const expiresAt = new Date(Date.now() + 90 * 86_400_000).toISOString();
  await app.get(ApiKeys).create(user?.id ?? "", { name: "Backup of my posts", scopes: ["posts:read"], expiresAt });
  await app.get(ApiKeys).create(user?.id ?? "", { name: "Publish from the editor", scopes: "all" });
  await shoot(page, "account-with-keys", "/account");
  await shoot(page, "account-api-keys", "/account/api-keys");
  await shoot(page, "account-delete", "/account/delete");
  for (const [name, path] of [
    ["verify", "/account/verify?token=x"],
    ["email-confirm", "/account/email/confirm?token=x"],
    ["reset-confirm", "/account/reset/confirm?token=x"],
    ["invalid-link", "/account/verify"],
    ["reset", "/account/reset"],
  ] as const) {
    await shoot(page, `account-${name}`, path);
  }
  const value = await logInAnHourAgo(app, user?.id ?? "");
  await page.context().addCookies([{ name: "session_id", value, url: page.url() }]);
  await shoot(page, "account-confirm", "/account/confirm");
  await page.context().clearCookies({ name: "session_id" });
  await page.goto("/login");
  await page.getByLabel("E-mail address").fill(newcomerEmail);
  await page.getByLabel("Password").fill(samplePassword);
  await page.getByRole("button", { name: "Log in" }).click();
  await shoot(page, "login-code");
}

/** A session that is not recent any more. */
async function logInAnHourAgo(app: RunningPages["app"], userId: string): Promise<string> {
  const id = await app.get(Sessions).create(userId);
  const key = `session:${digest(id)}`;
  const session = await app.get(KeyValue).get<object>(key);
  const created_at = new Date(Date.now() - 3_600_000).toISOString();
  await app.get(KeyValue).set(key, { ...session, created_at }, { ttl: 3600 });
  return id;
}

/** The current page, or the one at `path`. */
async function shoot(page: Page, name: string, path?: string): Promise<void> {
  if (path !== undefined) await page.goto(path);
  if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) return;
  for (const width of [1280, 390]) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: width === 1280 ? 860 : 844 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
  }
  console.log(name);
}

/** The visible part only: docs/images/blog.png is a copy of it. */
async function shootForReadme(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: "light" });
  await page.screenshot({ path: join(folder, "readme.png") });
}

async function logIn(page: Page, password: string): Promise<void> {
  await page.getByLabel("E-mail address").fill(sampleEmailOf("Ada Brandt"));
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
}

async function register(page: Page): Promise<void> {
  await page.goto("/register");
  await page.getByLabel("Name").fill("Nils Holm");
  await page.getByLabel("E-mail address").fill(newcomerEmail);
  await page.getByLabel("Password").fill(samplePassword);
  await page.getByRole("button", { name: "Register" }).click();
}

/** After the oldest post: the page of a list whose posts were deleted in the meantime. */
function endOfList(): string {
  const place = ["posts", "created_at", "desc", "id", "after", "2000-01-01T00:00:00.000Z", "0"];
  return `/?after=${Buffer.from(JSON.stringify(place)).toString("base64url")}`;
}
