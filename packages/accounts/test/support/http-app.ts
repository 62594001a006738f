import { AccountPages, AccountsController, accountsModule } from "@tenon/accounts";
import { authModule, Passwords, SessionOrigin, Sessions, useFastPasswords } from "@tenon/auth";
import { api, defineModule, inject, route } from "@tenon/core";
import { createTestApp, FakeClock, useClock } from "@tenon/core/testing";
import { Database, dataModule, KeyValue } from "@tenon/data";
import { jobsModule } from "@tenon/jobs";
import { mailModule } from "@tenon/mail";
import { sentMails } from "@tenon/mail/testing";
import { sessionsModule, type ViewEngine, WebSessions, web } from "@tenon/web";
import { LogLines } from "../../../core/test/support/log-lines.ts";
import { hasToken, password, TestUsers, tokenOf, type UserTables } from "./accounts-app.ts";

/** A login without a password: what matters here happens after it. */
class Login {
  readonly #sessions = inject(Sessions);

  readonly open = route.post("/open/:id", { middlewares: [SessionOrigin], access: "public" }, async (ctx) => {
    await this.#sessions.open(ctx, ctx.param("id"));
    return { ok: true };
  });

  routes() {
    return [this.open];
  }
}

const stores = dataModule({ database: "sqlite::memory:" });
const auth = authModule(stores, { secret: "a secret of the tests, with 32 b", bcryptCost: 10 });
const jobs = jobsModule(stores);
const views = new URL("../fixtures/views/", import.meta.url);
const mail = mailModule(jobs, { url: "memory:", from: { name: "Blog", address: "no-reply@example.com" }, views });
const accounts = accountsModule({
  imports: [stores, auth, jobs, mail],
  users: TestUsers,
  name: "Blog",
  baseUrl: "https://blog.example.com",
});
const imports = [stores, auth, jobs, mail, accounts] as const;
const ApiModule = defineModule({ name: "app", imports, declarations: [AccountsController, Login] });
const WebModule = defineModule({
  name: "app",
  imports: [...imports, sessionsModule(stores, { store: KeyValue, secret: "another secret of the tests, 32 b" })],
  declarations: [AccountPages, Login],
});

/** Shows what a view gets, as text. */
const plainViews: ViewEngine = {
  has: () => true,
  render: (name, { data, page }) =>
    `${JSON.stringify({ name, data, errors: page.errors, flash: page.flash.map(({ text }) => text) })}${page.csrfField()}`,
};

/** What `plainViews` shows. */
export interface ShownPage {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  readonly flash: readonly string[];
}

const trustedProxies = ["127.0.0.1", "::1"];

async function create(platform: "api" | "web") {
  const clock = new FakeClock();
  const log = new LogLines();
  const options = { log: log.options, override: [useClock(clock), useFastPasswords()] };
  const app = await (platform === "api"
    ? createTestApp(ApiModule, api({ trustedProxies }), options)
    : createTestApp(WebModule, web({ views: plainViews, trustedProxies, middlewares: [WebSessions] }), options));
  const addUser = async (id: string) => {
    const db = app.get(Database) as Database<UserTables>; // the migration of TestUsers has made the table
    const hash = await app.get(Passwords).hash(password);
    await db
      .insertInto("users")
      .values({ id, email: `${id}@example.com`, name: id, password: hash })
      .execute();
  };
  const mails = () => sentMails(app);
  return { app, clock, log, addUser, mails, lastToken: async () => tokenOf((await mails()).findLast(hasToken)) };
}

export type HttpAccounts = Awaited<ReturnType<typeof create>>;

export async function withHttp(platform: "api" | "web", body: (parts: HttpAccounts) => Promise<void>): Promise<void> {
  const parts = await create(platform);
  try {
    await body(parts);
  } finally {
    await parts.app.stop();
  }
}
