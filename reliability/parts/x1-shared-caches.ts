import { join } from "node:path";
import { withFolder } from "../../packages/data/test/support/services.ts";
import { Figures, type Part } from "../part.ts";
import { Caller, jsonOf, type TimedReply } from "../support/caller.ts";
import { proxies } from "../support/proxies.ts";
import { withService } from "../support/service.ts";

const secret = "a-secret-of-the-developer-for-this-part";

/** Production needs a mail server. Nothing listens there: mails wait. */
const mailSettings = {
  MAIL_URL: "smtp://127.0.0.1:9?tls=off",
  MAIL_FROM: "no-reply@blog.example",
  BASE_URL: "http://localhost",
};

/** How the service is started. `npm start` of a generated application leaves NODE_ENV unset. */
const modes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  production: { NODE_ENV: "production", TENON_DEV: "start", ...mailSettings },
  "NODE_ENV unset": {},
  development: { NODE_ENV: "development", TENON_DEV: "start" },
};

interface User {
  readonly id: string;
  readonly name: string;
  /** By the way they authenticate a request. */
  readonly credentials: Readonly<Record<Way, Readonly<Record<string, string>>>>;
}

type Way = "bearer" | "session" | "key";

/** Pages that depend on who asks. */
const ownPages: readonly { readonly site: "api" | "web"; readonly path: string; readonly way: Way }[] = [
  { site: "api", path: "/auth/me", way: "bearer" },
  { site: "api", path: "/auth/api-keys", way: "bearer" },
  { site: "api", path: "/auth/session", way: "session" },
  { site: "api", path: "/auth/key", way: "key" },
  { site: "web", path: "/", way: "session" },
  { site: "web", path: "/my-posts", way: "session" },
];

/** What a developer sees there. Other clients get another response from each. */
const developerPages: readonly { readonly site: "api" | "web"; readonly path: string; readonly shows: RegExp }[] = [
  { site: "api", path: "/", shows: /"routes":\[/ },
  { site: "api", path: "/_dev/requests", shows: /<h1>Requests<\/h1>/ },
  { site: "api", path: "/_dev/requests.json", shows: /"requests":\[/ },
  { site: "api", path: "/_dev/panels/stores", shows: /<h1>Stores<\/h1>/ },
  { site: "api", path: "/_dev/devtools.js", shows: /EventSource/ },
  { site: "web", path: "/", shows: /\/@tenon\/reload\.js/ },
  { site: "web", path: "/nothing", shows: /aria-label="Development"/ },
  { site: "web", path: "/_dev/routes", shows: /<h1>Routes<\/h1>/ },
  { site: "web", path: "/@tenon/reload.js", shows: /EventSource/ },
];

/** What a client may claim about itself. */
const claims: readonly Readonly<Record<string, string>>[] = [
  {},
  { host: "localhost" },
  { host: "127.0.0.1" },
  { "x-forwarded-for": "127.0.0.1", "x-real-ip": "127.0.0.1" },
  { forwarded: "for=127.0.0.1;host=localhost" },
  { "x-tenon-dev": "guess", cookie: "tenon-dev-80=guess; tenon-dev-443=guess" },
];

/** Counts over all modes and proxies. */
class Tally {
  own = 0;
  wrongOwn = 0;
  guests = 0;
  leaks = 0;
  fromCache = 0;
  developer = 0;
  hiddenFromDeveloper = 0;
  strangers = 0;
  shown = 0;
}

export const part: Part = {
  id: "X1",
  title: "nginx and HAProxy with shared caches, and a TCP forwarder, in front of the service",
  bar: "production, NODE_ENV unset and development: no response to an authenticated request from a cache; no developer page without its secret",
  needs: ["nginx", "haproxy"],
  async run({ short, say }) {
    const rounds = short ? 2 : 30;
    const tally = new Tally();
    for (const [mode, env] of Object.entries(modes)) {
      await withFolder((folder) => {
        const all = { DATABASE_URL: `sqlite:${join(folder, "blog.db")}`, TENON_DEV_SECRET: secret, ...env };
        return withService({ env: all }, (api) =>
          withService({ env: all, file: "src/main.web.ts" }, async (web) => {
            const users = [
              await createUser(api.url, "Ada Lovelace"),
              await createUser(api.url, "Grace Hopper"),
            ] as const;
            for (const [name, start] of Object.entries(proxies)) {
              say(`${mode}, ${name}`);
              const fronts = await Promise.all([api, web].map(({ url }) => start(Number(new URL(url).port), folder)));
              const [apiCaller, webCaller] = fronts.map(({ url }) => new Caller(url)) as [Caller, Caller]; // one for each
              const sites = { api: apiCaller, web: webCaller };
              try {
                if (name !== "TCP forwarder") tally.fromCache += await countHits(apiCaller);
                for (let round = 0; round < rounds; round++) {
                  await checkUsers(sites, users, round, tally);
                  await checkDeveloper(sites, `${mode}-${round}`, mode === "development", tally);
                }
              } finally {
                apiCaller.close();
                webCaller.close();
                await Promise.all(fronts.map((front) => front.stop()));
              }
            }
          }),
        );
      });
    }
    return new Figures()
      .exactly("public responses from a cache", tally.fromCache, 2 * Object.keys(modes).length)
      .show("authenticated responses", tally.own)
      .exactly("not of their user", tally.wrongOwn, 0)
      .show("responses to guests", tally.guests)
      .exactly("with data of a user", tally.leaks, 0)
      .show("developer pages with the secret", tally.developer)
      .exactly("not shown", tally.hiddenFromDeveloper, 0)
      .show("requests of strangers", tally.strangers)
      .exactly("shown a developer page", tally.shown, 0)
      .done();
  },
};

type Sites = Readonly<Record<"api" | "web", Caller>>;

async function createUser(url: string, name: string): Promise<User> {
  const caller = new Caller(url);
  const email = `${name.replace(" ", ".").toLowerCase()}@example.com`;
  const json = { email, password: "correct horse", name };
  const { token, user } = jsonOf<{ token: string; user: { id: string } }>(
    await caller.call("POST", "/auth/register", { json }),
  );
  const session = await caller.call("POST", "/auth/session", { json });
  const { key } = jsonOf<{ key: string }>(await caller.call("POST", "/auth/api-keys", { json: { name }, token }));
  caller.close();
  return {
    id: user.id,
    name,
    credentials: {
      bearer: { authorization: `Bearer ${token}` },
      session: { cookie: session.headers["set-cookie"]?.[0]?.split(";")[0] ?? "" },
      key: { "x-api-key": key },
    },
  };
}

/** Whether the cache stores at all: 1 when the second of two public responses comes from it. */
async function countHits(caller: Caller): Promise<number> {
  await caller.call("GET", "/posts?limit=1");
  const { headers } = await caller.call("GET", "/posts?limit=1");
  return headers["x-cache"] === "HIT" || headers.age !== undefined ? 1 : 0;
}

/** Users and guests take turns at the same URL, guests first in every second round. */
async function checkUsers(
  sites: Sites,
  [ada, grace]: readonly [User, User],
  round: number,
  tally: Tally,
): Promise<void> {
  const order = round % 2 === 0 ? [ada, undefined, grace, undefined, ada] : [undefined, grace, undefined, ada, grace];
  for (const { site, path, way } of ownPages) {
    for (const user of order) {
      const headers = user?.credentials[way] ?? {};
      const reply = await sites[site].call("GET", path, { headers });
      if (user === undefined) {
        tally.guests++;
        if (isAbout(reply, ada) || isAbout(reply, grace)) tally.leaks++;
      } else {
        tally.own++;
        const other = user === ada ? grace : ada;
        if (reply.status !== 200 || !isAbout(reply, user) || isAbout(reply, other)) tally.wrongOwn++;
      }
    }
  }
}

function isAbout({ text }: TimedReply, { id, name }: User): boolean {
  return text.includes(id) || text.includes(name);
}

/** The developer opens a page first, so that a cache could keep it for the strangers. */
async function checkDeveloper(sites: Sites, turn: string, isDevelopment: boolean, tally: Tally): Promise<void> {
  for (const { site, path, shows } of developerPages) {
    const url = `${path}?turn=${turn}`; // a miss of another turn may be in the cache
    const signedIn = await sites[site].call("GET", url, { headers: { accept: "*/*", "x-tenon-dev": secret } });
    if (isDevelopment) {
      tally.developer++;
      if (!shows.test(signedIn.text)) tally.hiddenFromDeveloper++;
    } else if (shows.test(signedIn.text)) tally.shown++;
    for (const headers of claims) {
      const { text, status } = await sites[site].call("GET", url, { headers: { accept: "*/*", ...headers } });
      tally.strangers++;
      const isOwnPath = path.startsWith("/_dev") || path.startsWith("/@tenon");
      if (shows.test(text) || (isOwnPath && status !== 404)) tally.shown++;
    }
  }
}
