import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { oneChecker, root, run, runOrFail, tool } from "../../../test/support/run.ts";
import { temporaryFolder, writeFiles } from "../../../test/support/temporary-folder.ts";
import { createPlatform } from "../src/serve.ts";
import { withFreshBlog } from "./support/blog.ts";
import { storages } from "./support/storages.ts";
import { uniqueEmail } from "./support/users.ts";

const folder = temporaryFolder("typed-client");
const node = [process.execPath, ["--conditions=@tenon/source", join(root, "packages/tool/src/main.ts")]] as const;

/** What the journey needs to know of the generated file, which the type test checks in full. */
interface GeneratedModule {
  createClient(options: {
    baseUrl: string;
    token: () => string | undefined;
  }): Record<string, Record<string, Operation & { orThrow: (input?: object) => Promise<Record<string, unknown>> }>>;
}
type Operation = (input?: object) => Promise<{ status: number; body: Record<string, unknown> }>;

const [storage] = storages;

test("a client generated from the running service registers, logs in, writes, publishes, lists, refreshes and logs out", () =>
  withFreshBlog(
    storage as (typeof storages)[number], // SQLite, always there
    async ({ client: { url } }) => {
      const [command, args] = node;
      const written = await runOrFail(command, [...args, "client", "--out=client.ts", `--from=${url}/openapi.json`], {
        cwd: folder,
      });
      assert.match(written, /created {2}client\.ts: a client of \d+ operations/);
      const generated = (await import(pathToFileURL(join(folder, "client.ts")).href)) as GeneratedModule;
      let token: string | undefined;
      const { auth, posts } = generated.createClient({ baseUrl: url, token: () => token });
      assert.ok(auth !== undefined && posts !== undefined);

      const account = { email: uniqueEmail(), password: "correct horse", name: "Ada" };
      const registered = await auth.register?.({ body: account });
      assert.equal(registered?.status, 201);
      assert.equal((await auth.register?.({ body: account }))?.status, 409);
      assert.equal((await auth.login?.({ body: { ...account, password: "wrong battery" } }))?.status, 401);
      const login = await auth.login?.orThrow({ body: { email: account.email, password: account.password } });

      const before = await posts.create?.({ body: { title: "t", content: "c" } });
      assert.deepEqual([before?.status, before?.body], [401, { error: "Missing authorization header" }]);
      token = String(login?.token);
      const post = await posts.create?.orThrow({ body: { title: "Hello", content: "World" } });
      const published = await posts.patch?.orThrow({ id: post?.id, body: { published: true } });
      assert.equal(published?.published, true);
      const list = await posts.index?.orThrow({ limit: 10 });
      assert.deepEqual(
        Array.from(list as unknown as { id: string }[], ({ id }) => id),
        [post?.id],
      );
      assert.equal((await posts.show?.({ id: "missing" }))?.status, 404);

      const tokens = await auth.token?.orThrow({ body: { email: account.email, password: account.password } });
      const refreshed = await auth.refresh?.orThrow({ body: { refresh_token: tokens?.refresh_token } });
      token = String(refreshed?.token ?? refreshed?.access_token);
      assert.equal((await auth.me?.())?.status, 200);
      assert.equal((await auth.logout?.())?.status, 200);
    },
    { createPlatform: () => createPlatform({ docs: { public: true } }) },
  ));

test("wrong arguments, unhandled statuses and missing fields do not compile", async () => {
  writeFiles(folder, {
    "package.json": '{ "type": "module" }',
    "tsconfig.json": JSON.stringify({
      extends: join(root, "tsconfig.base.json"),
      compilerOptions: { noEmit: true, composite: false, lib: ["ES2024", "DOM", "DOM.Iterable"], types: [] },
      include: ["*.ts"],
    }),
    "use.ts": `
      import { createClient, type Post } from "./client.ts";
      const api = createClient({ baseUrl: "http://127.0.0.1" });

      export async function show(id: string): Promise<Post | string> {
        const result = await api.posts.show({ id });
        if (result.status === 404) return result.body.error;
        if (result.status === 500 || result.status === 503) return result.body.error;
        return result.body;
      }
      export async function unhandled(id: string): Promise<Post> {
        const result = await api.posts.show({ id });
        // @ts-expect-error 404, 500 and 503 are not handled
        return result.body;
      }
      // @ts-expect-error a missing argument
      await api.posts.show({});
      // @ts-expect-error a misspelt argument
      await api.posts.show({ ID: "1" });
      // @ts-expect-error a missing field
      await api.posts.create({ body: { title: "t" } });
      // @ts-expect-error a field of another type
      await api.posts.create({ body: { title: "t", content: 5 } });
      const post = await api.posts.show.orThrow({ id: "1" });
      // @ts-expect-error a field that the post does not have
      post.password;
      const { status } = await api.posts.show({ id: "1" });
      // @ts-expect-error a status that is not declared
      if (status === 418) throw new Error();
    `,
  });
  const { code, stdout } = await run(tool("tsc"), ["-p", folder, ...oneChecker]);
  assert.equal(code, 0, stdout);
});
