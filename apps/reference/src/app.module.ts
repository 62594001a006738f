import { AccountCommands, accountsModule } from "@tenon/accounts";
import { type AuthOptions, authModule } from "@tenon/auth";
import { defineModule, inject, type Module, provide } from "@tenon/core";
import { dataModule, HealthController } from "@tenon/data";
import { JobCommands, jobsModule, schedule } from "@tenon/jobs";
import { liveModule } from "@tenon/live";
import { mailModule } from "@tenon/mail";
import { ApiKeyOwner } from "./auth/api-key-owner.ts";
import { ApiKeysCommands } from "./auth/api-keys.commands.ts";
import { ApiKeysController } from "./auth/api-keys.controller.ts";
import { AuthController } from "./auth/auth.controller.ts";
import { AuthService } from "./auth/auth.service.ts";
import { LogoutOrigin } from "./auth/logout.ts";
import { TutorialAuthController } from "./auth/tutorial-auth.controller.ts";
import { Config, ConfigModule } from "./config.ts";
import { Backup } from "./database/backup.ts";
import { DatabaseCommands } from "./database/database.commands.ts";
import { Seed } from "./database/seed.ts";
import { Tables } from "./database/tables.ts";
import { BackUp, MaintenanceJobs, PurgeExpired } from "./maintenance/maintenance.jobs.ts";
import { PostFeed } from "./posts/post-feed.ts";
import { PostOwner, PostPolicy } from "./posts/post-owner.ts";
import { PostsCommands } from "./posts/posts.commands.ts";
import { PostsController } from "./posts/posts.controller.ts";
import { PostsJobs } from "./posts/posts.jobs.ts";
import { PostsService } from "./posts/posts.service.ts";
import { Publication } from "./posts/publication.ts";
import { BlogUsers } from "./users/blog-users.ts";
import { createUserFinder } from "./users/create-user-finder.ts";
import { UsersCommands } from "./users/users.commands.ts";
import { UsersService } from "./users/users.service.ts";

/** The choices of an application. */
export interface BlogOptions extends Pick<AuthOptions, "passwordWait"> {
  /** Who may change or delete a post: "anyone" who is authenticated, or its "owner". Defaults to "anyone". */
  readonly postPolicy?: PostPolicy;
  /** Whether the process sends the mails of accounts, by its "jobs", or has their "commands". Defaults to neither. */
  readonly accounts?: "jobs" | "commands";
  /** Imported first, so that they start first and stop last. Defaults to none. */
  readonly observed?: readonly Module[];
}

/** The full authentication reference and the blog. */
export function createAppModule({ postPolicy, accounts, observed = [], ...authOptions }: BlogOptions = {}) {
  const users = createUsers(authOptions);
  return defineModule({
    name: "blog",
    imports: [
      ...[...observed, ConfigModule, DataModule, ...users, JobsModule, LiveModule, PostsModule],
      createAccounts(users, { sendsMails: accounts === "jobs" }), // everywhere, for the notices of API keys
    ],
    declarations: [
      AuthController,
      LogoutOrigin,
      ApiKeysController,
      ApiKeyOwner,
      AuthService,
      ...posts(postPolicy),
      HealthController,
      ...commands,
      ...(accounts === "commands" ? [AccountCommands] : []),
      ...backgroundWork,
    ],
  });
}

/** The blog tutorial's variant: the same services with other messages, and a shorter `/auth`. */
export function createTutorialModule({
  postPolicy,
  observed = [],
  ...authOptions
}: Omit<BlogOptions, "accounts"> = {}) {
  const variant = { claims: "short", endTokens: false, missingAuthorization: "Missing authorization" } as const;
  return defineModule({
    name: "tutorial",
    imports: [
      ...observed,
      ConfigModule,
      DataModule,
      ...createUsers({ ...authOptions, ...variant }),
      LiveModule,
      PostsModule,
    ],
    declarations: [TutorialAuthController, AuthService, ...posts(postPolicy)],
  });
}

/** The same services as commands: `main.cli.ts`. */
const commands = [PostsCommands, PostFeed, UsersCommands, ApiKeysCommands, DatabaseCommands, JobCommands, Seed];

/** Jobs, which every process can run, and what they need besides the modules. */
export const backgroundWork = [PostsJobs, Publication, MaintenanceJobs, Backup];

function posts(policy: PostPolicy = "anyone") {
  return [PostsController, PostOwner, provide(PostPolicy, () => policy)];
}

const imports = [ConfigModule] as const;

export const DataModule = dataModule({
  imports,
  database: () => inject(Config).databaseUrl,
  keyValue: () => inject(Config).redisUrl,
  cache: () => inject(Config).redisUrl,
  urlNames: { database: "DATABASE_URL", keyValue: "REDIS_URL", cache: "REDIS_URL" },
  postgres: () => ({ pooler: inject(Config).databasePooler, listenUrl: inject(Config).databaseListenUrl }),
  redis: { prefix: "tenon-blog:" },
});
export const JobsModule = jobsModule(DataModule, { imports, schedules: () => createSchedules(inject(Config)) });
export const LiveModule = liveModule(DataModule);
export const PostsModule = defineModule({
  name: "posts",
  imports: [DataModule, LiveModule],
  declarations: [PostsService],
  exports: [PostsService],
});
const MailModule = mailModule(JobsModule, {
  imports,
  url: () => inject(Config).mailUrl,
  from: () => inject(Config).mailFrom,
  views: new URL("../views/", import.meta.url),
});

/** Verification, resets, second factors and deletion of accounts, on the modules of `createUsers()`. */
export function createAccounts(
  users: ReturnType<typeof createUsers>,
  { sendsMails = true }: { readonly sendsMails?: boolean } = {},
) {
  return accountsModule({
    imports: [ConfigModule, DataModule, JobsModule, MailModule, PostsModule, ...users],
    users: BlogUsers,
    name: "Workbench",
    baseUrl: () => inject(Config).pagesUrl,
    sendsMails,
  });
}

/** Authentication and users, which differ between the variants. */
export function createUsers(options: Partial<Omit<AuthOptions, "imports">>) {
  const auth = authModule(DataModule, {
    imports,
    secret: () => inject(Config).signingSecret,
    issuer: "tenon-blog",
    bcryptCost: () => inject(Config).bcryptCost,
    loginLimit: () => inject(Config).loginRateLimit,
    endTokens: true, // otherwise a token lives on for up to 24 hours after a reset of the password
    findUser: createUserFinder,
    ...options,
  });
  const users = defineModule({
    name: "users",
    imports: [DataModule, auth],
    declarations: [Tables, UsersService],
    exports: [UsersService],
  });
  return [auth, users] as const;
}

function createSchedules({ backupSchedule, backupFolder }: Config) {
  const purge = schedule("17 * * * *", PurgeExpired);
  if (backupSchedule === undefined) return [purge];
  return [purge, schedule(backupSchedule, BackUp, { input: { folder: backupFolder } })];
}
