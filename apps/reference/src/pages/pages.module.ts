import { hkdfSync } from "node:crypto";
import { Clock } from "@tenon/auth";
import { defineModule, inject, type Module, provide } from "@tenon/core";
import { WebSessionSettings } from "@tenon/core/web";
import { KeyValue } from "@tenon/data";
import { type BlogOptions, createServices } from "../app.module.ts";
import { AuthService } from "../auth/auth.service.ts";
import type { Config } from "../config.ts";
import { PostsService } from "../posts/posts.service.ts";
import { AccountPages } from "./account.pages.ts";
import { CurrentUser } from "./current-user.ts";
import { OwnPost } from "./own-post.ts";
import { PostViews } from "./post-view.ts";
import { PostsPages } from "./posts.pages.ts";
import { RequireLogin } from "./require-login.ts";
import { WritingPages } from "./writing.pages.ts";

/** The blog as pages, on the services of the API and the commands. */
export function createPagesModule(config: Config, options: Pick<BlogOptions, "passwordWait"> = {}): Module {
  const { data, auth, users } = createServices(config, options);
  return defineModule({
    name: "pages",
    imports: [data, auth, users],
    declarations: [
      ...[PostsPages, WritingPages, AccountPages],
      ...[PostViews, CurrentUser, RequireLogin, OwnPost],
      ...[AuthService, PostsService],
      provide(WebSessionSettings, () => toSessionSettings(config)),
    ],
  });
}

function toSessionSettings(config: Config): WebSessionSettings {
  const clock = inject(Clock);
  return { store: inject(KeyValue), secret: cookieSecretOf(config), now: () => clock.now() };
}

/** A secret of its own: a signed cookie must never be worth anything as a token, nor a token as a cookie. */
function cookieSecretOf({ jwtSecret }: Config): string {
  return Buffer.from(hkdfSync("sha256", jwtSecret, "", "tenon-blog web sessions", 32)).toString("base64url");
}
