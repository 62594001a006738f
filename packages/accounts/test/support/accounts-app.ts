import {
  AccountCommands,
  Accounts,
  type AccountsOptions,
  type AccountUser,
  AccountUsers,
  accountsModule,
  VerifiedEmail,
} from "@tenon/accounts";
import { authModule, Passwords, SessionAuth, Sessions, useFastPasswords } from "@tenon/auth";
import { api, array, type Context, defineModule, dto, inject, type Module, route, string } from "@tenon/core";
import { createTestApp, FakeClock, type TestHttpApp, useClock } from "@tenon/core/testing";
import { Database, type DataOptions, dataModule, type Kysely, Migrations } from "@tenon/data";
import { jobsModule } from "@tenon/jobs";
import { type TestJobs, withJobs } from "@tenon/jobs/testing";
import { mailModule } from "@tenon/mail";
import { type SentMail, sentMails } from "@tenon/mail/testing";
import { LogLines } from "../../../core/test/support/log-lines.ts";

export interface UserTables {
  users: AccountUser & { readonly name: string };
}

/** The users of a small application: what an application writes. */
export class TestUsers extends AccountUsers {
  readonly #db = inject(Database<UserTables>);

  constructor() {
    super();
    inject(Migrations).add([
      {
        name: "test-001-users",
        up: (db) =>
          db.schema
            .createTable("users")
            .addColumn("id", "text", (column) => column.primaryKey())
            .addColumn("email", "text", (column) => column.notNull().unique())
            .addColumn("name", "text", (column) => column.notNull())
            .addColumn("password", "text", (column) => column.notNull())
            .execute(),
      },
    ]);
  }

  find(id: string, transaction: Kysely<UserTables> = this.#db): Promise<AccountUser | undefined> {
    return transaction.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
  }

  findByEmail(email: string): Promise<AccountUser | undefined> {
    return this.#db.selectFrom("users").selectAll().where("email", "=", email.toLowerCase()).executeTakeFirst();
  }

  async setPassword(id: string, password: string, transaction: Kysely<UserTables>): Promise<void> {
    await transaction.updateTable("users").set({ password }).where("id", "=", id).execute();
  }

  async setEmail(id: string, email: string, transaction: Kysely<UserTables>): Promise<void> {
    await transaction.updateTable("users").set({ email: email.toLowerCase() }).where("id", "=", id).execute();
  }

  async delete(id: string, transaction: Kysely<UserTables>): Promise<void> {
    await transaction.deleteFrom("users").where("id", "=", id).execute();
  }
}

const Call = dto({ values: array(string(), "required") });

/** The methods that take a request, and what they return. */
class Requests {
  readonly #accounts = inject(Accounts);
  readonly #sessions = inject(Sessions);

  readonly call = route.post("/call/:method", async (ctx) => {
    const { values } = await ctx.bind(Call);
    const [first = "", second = "", third = ""] = values;
    return { result: (await this.#run(ctx, first, second, third)) ?? null };
  });

  readonly verified = route.get("/verified", { middlewares: [SessionAuth, VerifiedEmail] }, () => ({ ok: true }));

  #run(ctx: Context, first: string, second: string, third: string): Promise<unknown> {
    switch (ctx.param("method")) {
      case "requestReset":
        return this.#accounts.requestReset(first, ctx);
      case "changePassword":
        return this.#accounts.changePassword(first, second, third, ctx).then((user) => user !== undefined);
      case "requestEmailChange":
        return this.#accounts.requestEmailChange(first, second, ctx);
      case "verify":
        return this.#accounts.verify(first, second, ctx);
      case "endOtherSessions":
        return this.#accounts.endOtherSessions(first, ctx);
      default:
        return this.#sessions.open(ctx, first);
    }
  }

  routes() {
    return [this.call, this.verified];
  }
}

export function createAccountsModule(data: DataOptions, options: Partial<AccountsOptions> = {}): Module {
  const stores = dataModule(data);
  const auth = authModule(stores, { secret: "a secret of the tests, with 32 b", passwordWait: 600_000 });
  const jobs = jobsModule(stores);
  const views = new URL("../fixtures/views/", import.meta.url);
  const mail = mailModule(jobs, { url: "memory:", from: { name: "Blog", address: "no-reply@example.com" }, views });
  const accounts = accountsModule({
    imports: [stores, auth, jobs, mail],
    users: TestUsers,
    name: "Blog",
    baseUrl: "https://blog.example.com",
    ...options,
  });
  return defineModule({
    name: "app",
    imports: [stores, auth, jobs, mail, accounts],
    declarations: [Requests, AccountCommands],
  });
}

export interface AccountsApp {
  readonly app: TestHttpApp & { readonly jobs: TestJobs };
  readonly accounts: Accounts;
  readonly clock: FakeClock;
  readonly log: LogLines;
  /** Creates a user with the password "correct horse". */
  readonly addUser: (id: string) => Promise<AccountUser>;
  readonly find: (id: string) => Promise<AccountUser>;
  /** Calls a method with a request of one client. Returns the status and the result. */
  readonly call: (method: string, ...values: readonly string[]) => Promise<readonly [number, unknown]>;
  /** All mails since the start, after the jobs that are due have run. */
  readonly mails: () => Promise<readonly SentMail[]>;
  /** The token of the link in the last mail that has one. */
  readonly lastToken: () => Promise<string>;
}

export const password = "correct horse";

export async function withAccounts(
  data: DataOptions,
  body: (parts: AccountsApp) => Promise<void>,
  options: Partial<AccountsOptions> = {},
): Promise<void> {
  const clock = new FakeClock();
  const log = new LogLines();
  const override = [useClock(clock), useFastPasswords()];
  const app = withJobs(await createTestApp(createAccountsModule(data, options), api(), { log: log.options, override }));
  const users = app.get(AccountUsers);
  const find = async (id: string) => {
    const user = await users.find(id);
    if (user === undefined) throw new Error(`there is no user ${id}`);
    return user;
  };
  const mails = () => sentMails(app);
  try {
    await body({
      app,
      clock,
      log,
      find,
      mails,
      accounts: app.get(Accounts),
      addUser: async (id) => {
        const hash = await app.get(Passwords).hash(password);
        const db = app.get(Database) as Database<UserTables>; // the migration of TestUsers has made the table
        await db
          .insertInto("users")
          .values({ id, email: `${id}@example.com`, name: id, password: hash })
          .execute();
        return find(id);
      },
      call: async (method, ...values) => {
        const response = await app.request("POST", `/call/${method}`, { json: { values } });
        const { result, error } = (await response.json()) as { readonly result?: unknown; readonly error?: unknown };
        return [response.status, response.ok ? result : error];
      },
      lastToken: async () => tokenOf((await mails()).findLast(hasToken)),
    });
  } finally {
    await app.stop();
  }
}

export function hasToken({ links }: SentMail): boolean {
  return links.some((link) => link.includes("?token="));
}

export function tokenOf(mail: SentMail | undefined): string {
  const link = mail?.links.find((one) => one.includes("?token="));
  if (link === undefined) throw new Error(`the mail has no link with a token: ${mail?.text}`);
  return new URL(link).searchParams.get("token") ?? "";
}
