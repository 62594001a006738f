import { type AuthOptions, authModule } from "@tenon/auth";
import { defineModule, type Module, provide } from "@tenon/core";
import { dataModule, HealthController } from "@tenon/data";
import { JobCommands, jobsModule, schedule } from "@tenon/jobs";
import { liveModule } from "@tenon/live";
import { ApiKeysCommands } from "./auth/api-keys.commands.ts";
import { ApiKeysController } from "./auth/api-keys.controller.ts";
import { AuthController } from "./auth/auth.controller.ts";
import { AuthService } from "./auth/auth.service.ts";
import { TutorialAuthController } from "./auth/tutorial-auth.controller.ts";
import type { Config } from "./config.ts";
import { Backup, DatabaseUrl } from "./database/backup.ts";
import { DatabaseCommands } from "./database/database.commands.ts";
import { Seed } from "./database/seed.ts";
import { Tables } from "./database/tables.ts";
import { BackUp, MaintenanceJobs, PurgeExpired } from "./maintenance/maintenance.jobs.ts";
import { ApiUrl, PostFeed } from "./posts/post-feed.ts";
import { PostOwner, PostPolicy } from "./posts/post-owner.ts";
import { PostsCommands } from "./posts/posts.commands.ts";
import { PostsController } from "./posts/posts.controller.ts";
import { PostsJobs } from "./posts/posts.jobs.ts";
import { PostsService } from "./posts/posts.service.ts";
import { Publication } from "./posts/publication.ts";
import { UsersCommands } from "./users/users.commands.ts";
import { UsersService } from "./users/users.service.ts";

/** The choices of an application. */
export interface BlogOptions extends Pick<AuthOptions, "passwordWait"> {
  /** Who may change or delete a post: "anyone" who is authenticated, or its "owner". Defaults to "anyone". */
  readonly postPolicy?: PostPolicy;
  /** Imported first, so that they start first and stop last. Defaults to none. */
  readonly observed?: readonly Module[];
}

/** The full authentication reference and the blog. */
export function createAppModule(config: Config, options: BlogOptions = {}): Module {
  const { postPolicy, observed = [], ...authOptions } = options;
  const { data, auth, users, jobs, live } = createServices(config, authOptions);
  return defineModule({
    name: "blog",
    imports: [...observed, data, auth, users, jobs, live],
    declarations: [
      AuthController,
      ApiKeysController,
      AuthService,
      ...posts(postPolicy),
      HealthController,
      ...commands,
      ...backgroundWork,
      provide(DatabaseUrl, () => config.databaseUrl),
      provide(ApiUrl, () => `http://127.0.0.1:${config.port}`),
    ],
  });
}

/** The blog tutorial's variant: the same services with other messages, and a shorter `/auth`. */
export function createTutorialModule(config: Config, options: BlogOptions = {}): Module {
  const { postPolicy, observed = [], ...authOptions } = options;
  const { data, auth, users, live } = createServices(config, {
    ...authOptions,
    claims: "short",
    missingAuthorization: "Missing authorization",
  });
  return defineModule({
    name: "tutorial",
    imports: [...observed, data, auth, users, live],
    declarations: [TutorialAuthController, AuthService, ...posts(postPolicy)],
  });
}

/** The same services as commands: `main.cli.ts`. */
const commands = [PostsCommands, PostFeed, UsersCommands, ApiKeysCommands, DatabaseCommands, JobCommands, Seed];

/** Jobs, which every process can run, and what they need besides `PostsService` and `DatabaseUrl`. */
export const backgroundWork = [PostsJobs, Publication, MaintenanceJobs, Backup];

function posts(policy: PostPolicy = "anyone") {
  return [PostsController, PostsService, PostOwner, provide(PostPolicy, () => policy)];
}

/** The modules that every variant uses. */
export function createServices(config: Config, options: Partial<AuthOptions>) {
  const data = dataModule({
    database: config.databaseUrl,
    urlNames: { database: "DATABASE_URL", keyValue: "REDIS_URL", cache: "REDIS_URL" },
    ...(config.redisUrl === undefined ? {} : { keyValue: config.redisUrl, cache: config.redisUrl }),
  });
  const auth = authModule(data, {
    secret: config.jwtSecret,
    issuer: "tenon-blog",
    bcryptCost: config.bcryptCost,
    loginLimit: config.loginLimit,
    ...options,
  });
  const users = defineModule({
    name: "users",
    imports: [data, auth],
    declarations: [Tables, UsersService],
    exports: [UsersService, Tables],
  });
  return { data, auth, users, jobs: jobsModule(data, { schedules: createSchedules(config) }), live: liveModule(data) };
}

function createSchedules({ backupSchedule, backupFolder }: Config) {
  const purge = schedule("17 * * * *", PurgeExpired);
  if (backupSchedule === undefined) return [purge];
  return [purge, schedule(backupSchedule, BackUp, { input: { folder: backupFolder } })];
}
