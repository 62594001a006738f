import { hkdfSync } from "node:crypto";
import { Clock } from "@tenon/auth";
import { defineModule, inject, type Module, provide } from "@tenon/core";
import { HealthController, KeyValue } from "@tenon/data";
import { WebSessionSettings } from "@tenon/web";
import { type BlogOptions, backgroundWork, createServices } from "../app.module.ts";
import { AuthService } from "../auth/auth.service.ts";
import type { Config } from "../config.ts";
import { DatabaseUrl } from "../database/backup.ts";
import { PostsService } from "../posts/posts.service.ts";
import { AccountPages } from "./account.pages.ts";
import { CurrentUser } from "./current-user.ts";
import { FeedId, FeedPages } from "./feed.pages.ts";
import { OwnPost } from "./own-post.ts";
import { toUuid } from "./post-id.ts";
import { PostViews } from "./post-view.ts";
import { PostsPages } from "./posts.pages.ts";
import { RequireLogin } from "./require-login.ts";
import { WritingPages } from "./writing.pages.ts";

/** The blog as pages, on the same services as the API and the commands. */
export function createPagesModule(config: Config, options: Omit<BlogOptions, "postPolicy"> = {}): Module {
  const { observed = [], ...authOptions } = options;
  const { data, auth, users, jobs, live } = createServices(config, authOptions);
  return defineModule({
    name: "pages",
    imports: [...observed, data, auth, users, jobs, live],
    declarations: [
      ...[PostsPages, FeedPages, WritingPages, AccountPages],
      ...[PostViews, CurrentUser, RequireLogin, OwnPost],
      ...[AuthService, PostsService, HealthController],
      ...backgroundWork,
      provide(DatabaseUrl, () => config.databaseUrl),
      provide(WebSessionSettings, () => toSessionSettings(config)),
      provide(FeedId, () => `urn:uuid:${toUuid(deriveKey(config, "tenon-blog feed").toString("hex"))}`),
    ],
  });
}

function toSessionSettings(config: Config): WebSessionSettings {
  const clock = inject(Clock);
  return { store: inject(KeyValue), secret: cookieSecretOf(config), now: () => clock.now() };
}

/** A separate secret: a signed cookie must never be valid as a token, nor a token as a cookie. */
function cookieSecretOf(config: Config): string {
  return deriveKey(config, "tenon-blog web sessions").toString("base64url");
}

/** The same for every instance and after every restart, and one-way: it does not reveal the secret. */
function deriveKey({ jwtSecret }: Config, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", jwtSecret, "", purpose, 32));
}
