import { hkdfSync } from "node:crypto";
import { AccountPages } from "@tenon/accounts";
import { defineModule, inject, provide } from "@tenon/core";
import { HealthController, KeyValue } from "@tenon/data";
import { sessionsModule } from "@tenon/web";
import {
  type BlogOptions,
  backgroundWork,
  createAccounts,
  createUsers,
  DataModule,
  JobsModule,
  LiveModule,
  PostsModule,
} from "../app.module.ts";
import { AuthService } from "../auth/auth.service.ts";
import { Config, ConfigModule } from "../config.ts";
import { CurrentUser } from "./current-user.ts";
import { FeedId, FeedPages } from "./feed.pages.ts";
import { LoginPages } from "./login.pages.ts";
import { OwnPost } from "./own-post.ts";
import { toUuid } from "./post-id.ts";
import { PostViews } from "./post-view.ts";
import { PostsPages } from "./posts.pages.ts";
import { RequireLogin } from "./require-login.ts";
import { WritingPages } from "./writing.pages.ts";

const SessionsModule = sessionsModule(DataModule, {
  imports: [ConfigModule],
  store: KeyValue,
  // a separate secret: a signed cookie must never be valid as a token, nor a token as a cookie
  secret: () => deriveKey("tenon-blog web sessions").toString("base64url"),
});

/** The blog as pages, on the same services as the API and the commands. */
export function createPagesModule({
  observed = [],
  ...authOptions
}: Omit<BlogOptions, "postPolicy" | "accounts"> = {}) {
  const users = createUsers(authOptions);
  return defineModule({
    name: "pages",
    imports: [
      ...observed,
      ConfigModule,
      DataModule,
      ...users,
      createAccounts(users),
      JobsModule,
      LiveModule,
      PostsModule,
      SessionsModule,
    ],
    declarations: [
      ...[PostsPages, FeedPages, WritingPages, LoginPages, AccountPages],
      ...[PostViews, CurrentUser, RequireLogin, OwnPost],
      ...[AuthService, HealthController],
      ...backgroundWork,
      provide(FeedId, () => `urn:uuid:${toUuid(deriveKey("tenon-blog feed").toString("hex"))}`),
    ],
  });
}

/** The same for every instance and after every restart, and one-way: it does not reveal the secret. */
function deriveKey(purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", inject(Config).signingSecret, "", purpose, 32));
}
