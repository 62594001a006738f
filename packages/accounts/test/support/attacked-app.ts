import { AccountsController, type AccountsGuard, AccountUsers, accountsModule } from "@tenon/accounts";
import {
  ApiKeyAuth,
  ApiKeys,
  authModule,
  PasswordLogin,
  Passwords,
  RefreshTokens,
  SessionAuth,
  Sessions,
  useFastPasswords,
} from "@tenon/auth";
import { type ApiOptions, api, defineModule, dto, inject, route, string } from "@tenon/core";
import { createTestApp, FakeClock, type TestClient, type TestHttpApp, useClock } from "@tenon/core/testing";
import { Database, type DataOptions, dataModule } from "@tenon/data";
import { jobsModule } from "@tenon/jobs";
import { mailModule } from "@tenon/mail";
import { type SentMail, sentMails } from "@tenon/mail/testing";
import { LogLines } from "../../../core/test/support/log-lines.ts";
import { hasToken, password, TestUsers, tokenOf, type UserTables } from "./accounts-app.ts";

const Login = dto({ email: string("required"), password: string("required"), code: string() });
const Refresh = dto({ refresh_token: string("required") });

/** The logins of a small application: with a session and a refresh token, and with an API key. */
class LoginController {
  readonly #users = inject(AccountUsers);
  readonly #login = inject(PasswordLogin);
  readonly #sessions = inject(Sessions);
  readonly #refreshTokens = inject(RefreshTokens);
  readonly #keys = inject(ApiKeys);

  readonly login = route.post("/login", { body: Login }, async (ctx, { body }) => {
    const find = () => this.#users.findByEmail(body.email);
    const account = body.email.toLowerCase();
    const user = await this.#login.check({ account, ...body, find }, ctx);
    if (user === undefined) return ctx.status(401).json({ error: "Invalid credentials" });
    await this.#sessions.open(ctx, user.id, { account });
    return { refresh_token: await this.#refreshTokens.generate(user.id) };
  });

  readonly refresh = route.post("/refresh", { body: Refresh }, async (ctx, { body }) => {
    const refreshed = await this.#refreshTokens.refresh(body.refresh_token);
    return refreshed === undefined
      ? ctx.status(401).json({ error: "invalid refresh token" })
      : { id: refreshed.userId };
  });

  readonly createKey = route.post("/keys", { middlewares: [SessionAuth] }, async (ctx) => {
    return { key: (await this.#keys.create(ctx.get("user_id"), { scopes: "all" })).key };
  });

  readonly useKey = route.get("/report", { middlewares: [ApiKeyAuth] }, (ctx) => ({ id: ctx.get("user_id") }));

  routes() {
    return [this.login, this.refresh, this.createKey, this.useKey];
  }
}

export interface AttackedApp {
  readonly app: TestHttpApp;
  readonly clock: FakeClock;
  readonly log: LogLines;
  /** Creates a user with the address `<id>@example.com` and the password of these tests. */
  readonly addUser: (id: string) => Promise<void>;
  /** A browser that has logged in. */
  readonly logIn: (id: string, code?: string) => Promise<TestClient>;
  /** All mails since the start. */
  readonly mails: () => Promise<readonly SentMail[]>;
  /** The token of the link in the last mail that has one. */
  readonly lastToken: () => Promise<string>;
}

export interface AttackedOptions {
  readonly data?: DataOptions;
  readonly guard?: AccountsGuard;
  readonly api?: ApiOptions;
  readonly endTokens?: boolean;
}

/** An application with the endpoints of accounts, which a test attacks over HTTP. */
export async function withAttackedApp(
  {
    data = { database: "sqlite::memory:" },
    guard = SessionAuth,
    api: options = {},
    endTokens = false,
  }: AttackedOptions,
  body: (parts: AttackedApp) => Promise<void>,
): Promise<void> {
  const clock = new FakeClock();
  const log = new LogLines();
  const stores = dataModule(data);
  const auth = authModule(stores, { secret: "a secret of the tests, with 32 b", bcryptCost: 10, endTokens });
  const jobs = jobsModule(stores);
  const views = new URL("../fixtures/views/", import.meta.url);
  const mail = mailModule(jobs, { url: "memory:", from: { name: "Blog", address: "no-reply@example.com" }, views });
  const accounts = accountsModule({
    imports: [stores, auth, jobs, mail],
    users: TestUsers,
    name: "Blog",
    baseUrl: "https://blog.example.com",
    guard,
  });
  const module = defineModule({
    name: "app",
    imports: [stores, auth, jobs, mail, accounts],
    declarations: [AccountsController, LoginController],
  });
  const app = await createTestApp(module, api(options), {
    log: log.options,
    override: [useClock(clock), useFastPasswords()],
  });
  const mails = () => sentMails(app);
  try {
    await body({
      app,
      clock,
      log,
      mails,
      addUser: async (id) => {
        const db = app.get(Database) as Database<UserTables>; // the migration of TestUsers has made the table
        const hash = await app.get(Passwords).hash(password);
        await db
          .insertInto("users")
          .values({ id, email: `${id}@example.com`, name: id, password: hash })
          .execute();
      },
      logIn: async (id, code = "") => {
        const client = app.client();
        const [status, text] = await send(client, "POST /login", { email: `${id}@example.com`, password, code });
        if (status !== 200) throw new Error(`the login of ${id} failed: ${status} ${JSON.stringify(text)}`);
        return client;
      },
      lastToken: async () => tokenOf((await mails()).findLast(hasToken)),
    });
  } finally {
    await app.stop();
  }
}

/** Sends `POST /path` with JSON. Returns the status and the error or the body. */
export async function send(
  client: Pick<TestClient, "request">,
  endpoint: string,
  json?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly [status: number, body: unknown]> {
  const [method = "", path = ""] = endpoint.split(" ");
  const options = json === undefined ? { headers } : { headers, json };
  const response = await client.request(method as "GET", path, options); // or another method of a route
  const text = await response.text();
  const body = text === "" ? null : JSON.parse(text);
  return [response.status, response.ok ? body : body.error];
}
