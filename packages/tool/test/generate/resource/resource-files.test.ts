import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../../../../test/support/run.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { services, withPostgres } from "../../../../data/test/support/services.ts";
import { appTemplates } from "../../../src/templates.ts";
import { checkStyle, checkTypes, isFull, runScriptOrFail, whileServing } from "../../support/generated-app.ts";
import { runTool } from "../../support/tool.ts";

const scalars = [
  ...["title:string", "body:text", "count:integer", "weight:number", "price:decimal", "done:boolean", "due_on:date"],
  ...["seen_at:timestamp", "status:enum:draft,in_review,done", "key:uuid", "extra:json"],
];
const resources = [
  ["author", "--fields=name:string"],
  ["everything", `--fields=${scalars.join(",")}`],
  ["maybe", `--fields=${scalars.join("?,")}?`],
  ["blog-post", "--fields=body:text,author:ref,second_author:ref:author?,title:string"],
  ["rating", "--fields=stars:integer?,is_public:boolean,blog_post:ref"],
  ["vote", "--fields=is_up:boolean,rating:ref?"],
  ["phase-1-task", "--fields=data:string"],
  ["a-b-test", "--fields=author:ref,name:string"],
] as const;

/** A query across modules, with a column that does not exist. */
const crossQuery = `import type { Database } from "@tenon/data";
import type { Schema } from "./database/schema.ts";

export function listTitles(db: Database<Schema>): Promise<{ title: string; author: string; stars: number | null }[]> {
  return db
    .selectFrom("ratings")
    .innerJoin("blog_posts", "blog_posts.id", "ratings.blog_post_id")
    .innerJoin("authors", "authors.id", "blog_posts.author_id")
    .select(["blog_posts.title", "authors.name as author", "ratings.stars"])
    .execute();
}
export function listLost(db: Database<Schema>) {
  // @ts-expect-error authors have no such column
  return db.selectFrom("blog_posts").innerJoin("authors", "authors.id", "author_id").select("authors.lost").execute();
}
`;

/** Applications with resources that have all types of fields. */
async function generate(folder: string, template: string): Promise<string> {
  await runTool(folder, "app", `--name=${template}-app`, `--template=${template}`, "--no-accounts");
  const app = join(folder, `${template}-app`);
  symlinkSync(join(root, "node_modules"), join(app, "node_modules"));
  for (const [name, fields] of resources) {
    const { code, stderr } = await runTool(app, "g", "resource", name, fields);
    assert.equal(code, 0, stderr);
  }
  return app;
}

const folder = temporaryFolder("resources");
const apps = Promise.all(appTemplates.map((template) => generate(folder, template)));

test("generates code that passes lint, format and type checks, and types joins across modules", async () => {
  const all = await apps;
  await checkStyle(all);
  for (const app of all) writeFileSync(join(app, "src/cross-query.ts"), crossQuery);
  await checkTypes(folder, all);
});

for (const template of isFull ? appTemplates : (["full"] as const)) {
  test(`generates tests that pass for every type of field in the ${template} template`, async () => {
    await apps;
    const env = isFull ? {} : { NODE_OPTIONS: "--test-isolation=none" };
    const output = await runScriptOrFail(join(folder, `${template}-app`), "test", [], env);
    if (template !== "full") return;
    assert.match(output, /POST \/blog-posts responds with 400 without a body/);
    assert.match(output, /POST \/blog-posts responds with 400 for an author that does not exist/);
    assert.match(output, /GET \/maybes lists a created one/);
  });
}

/** The same values as on SQLite, which a number, a Date or a time zone would change. */
const stored = {
  ...{ title: "a", body: "b", count: 1, weight: 1.5, price: "9007199254740993.10", done: true, due_on: "1850-01-01" },
  ...{ seen_at: "1850-06-30T22:00:00.123Z", status: "in_review", key: randomUUID(), extra: { b: [1, null], a: "x" } },
};

test("serves every type of field from PostgreSQL", { skip: services.postgres === undefined }, async () => {
  const [api = ""] = await apps;
  await withPostgres((database) =>
    whileServing(
      api,
      "start",
      async (url) => {
        const call = async (method: string, path: string, body?: object) => {
          const text = body === undefined ? null : JSON.stringify(body);
          const response = await fetch(url + path, {
            method,
            headers: { "content-type": "application/json" },
            body: text,
          });
          return { status: response.status, body: (await response.json()) as { id: string; next: string } }; // of the DTO
        };
        const created = await call("POST", "/everythings", stored);
        assert.partialDeepStrictEqual(created, { status: 201, body: stored });
        const path = `/everythings/${created.body.id}`;
        assert.deepEqual((await call("GET", path)).body, created.body);
        const changes = { price: "-0.10", extra: null, due_on: "9999-12-31" };
        assert.partialDeepStrictEqual((await call("PATCH", path, changes)).body, { ...stored, ...changes });
        await call("POST", "/everythings", stored);
        const { next } = (await call("GET", "/everythings?limit=1")).body;
        const last = await call("GET", `/everythings?limit=1&cursor=${next}`);
        assert.partialDeepStrictEqual(last.body, { items: [{ id: created.body.id }], next: null });
        for (const id of ["not-a-uuid", "1", `{${created.body.id}}`, randomUUID()]) {
          for (const method of ["GET", "PATCH", "DELETE"]) {
            const { status } = await call(method, `/everythings/${id}`, method === "PATCH" ? {} : undefined);
            assert.equal(status, 404, `${method} ${id}`);
          }
        }
        const post = { title: "a", body: "b", author_id: "odd" };
        assert.equal((await call("POST", "/blog-posts", post)).status, 400);
      },
      { DATABASE_URL: database, TZ: "Asia/Kathmandu" },
    ),
  );
});

test("links the pages in the navigation and declares them in the module of the pages", async () => {
  const [, web = "", , full = ""] = await apps;
  for (const app of [web, full]) {
    const layout = readFileSync(join(app, "views/layout.eta"), "utf8");
    assert.match(
      layout,
      /<a href="\/blog-posts">Blog posts<\/a>\n<a href="\/ratings">Ratings<\/a>\n<a href="\/votes">Votes<\/a>\n<a href="\/phase-1-tasks">Phase 1 tasks<\/a>\n<a href="\/a-b-tests">A b tests<\/a>\n<\/header>/,
    );
  }
  const pages = readFileSync(join(full, "src/pages/pages.module.ts"), "utf8");
  assert.match(pages, /BlogPostsPages,/);
  assert.match(pages, /BlogPostsModule,/);
  assert.doesNotMatch(pages, /Service/);
  const application = readFileSync(join(full, "src/app.module.ts"), "utf8");
  assert.match(application, /BlogPostsController,\s+BlogPostsCommands,/);
  const module = readFileSync(join(full, "src/blog-posts/blog-posts.module.ts"), "utf8");
  assert.match(module, /declarations: \[BlogPostsService\]/);
  assert.match(module, /imports: \[DataModule, AuthorsModule\]/);
});

test("gives a reference a foreign key and an index", async () => {
  const [api = ""] = await apps;
  const migrations = readFileSync(join(api, "src/blog-posts/blog-posts.migrations.ts"), "utf8");
  assert.match(migrations, /"author_id", "uuid", \(column\) => column\.notNull\(\)\.references\("authors\.id"\)/);
  assert.match(migrations, /createIndex\("blog_posts_second_author_id"\)/);
});

test("adds the migrations to those of the application, and the table to its schema", async () => {
  for (const app of await apps) {
    const service = readFileSync(join(app, "src/blog-posts/blog-posts.service.ts"), "utf8");
    assert.match(service, /inject\(Migrations\)\.add\(migrations\)/);
    assert.match(service, /inject\(Database<Schema>\)/);
    const schema = readFileSync(join(app, "src/database/schema.ts"), "utf8");
    assert.match(schema, /import type \{ BlogPost \} from "\.\.\/blog-posts\/blog-posts\.dto\.ts";/);
    assert.match(schema, /\{\n {2}authors: Author;\n(?: {2}\w+: \w+;\n)*? {2}blog_posts: BlogPost;\n/);
  }
});

test("offers the rows that a ref can refer to, and asks for the id where they have no name", async () => {
  const [api = "", web = "", , full = ""] = await apps;
  for (const app of [web, full]) {
    const read = (path: string) => readFileSync(join(app, path), "utf8");
    assert.match(read("views/blog-posts/form.eta"), /<select id="author_id" name="author_id" required/);
    assert.match(read("src/blog-posts/blog-posts.service.ts"), /"authorRow\.name as authorName"[\s\S]*"name as label"/);
    assert.match(read("views/votes/form.eta"), /<label for="rating_id">Rating \(its id\)<\/label>/);
    assert.match(read("views/blog-posts/show.eta"), /href="\/authors\/<%= data\.author_id %>"><%= data\.authorName/);
  }
  assert.doesNotMatch(readFileSync(join(api, "src/blog-posts/blog-posts.service.ts"), "utf8"), /findChoices/);
});

test("creates the schema of an application that has none, and prints what it cannot add", async () => {
  const place = temporaryFolder("schema");
  await runTool(place, "app", "--name=shop");
  const file = join(place, "shop/src/database/schema.ts");
  rmSync(file);
  const { stdout } = await runTool(join(place, "shop"), "g", "resource", "post");
  assert.match(stdout, /^created {2}src\/database\/schema\.ts: has the table posts$/m);
  assert.match(readFileSync(file, "utf8"), /^import type \{ Post \}[\s\S]*\{\n {2}posts: Post;\n\}\n$/);
  writeFileSync(file, "export type Schema = object;\n");
  const unclear = await runTool(join(place, "shop"), "g", "resource", "tag");
  assert.ok(
    unclear.stdout.includes("is unchanged. Add to the interface Schema:\n  import type { Tag }"),
    unclear.stdout,
  );
  assert.equal(readFileSync(file, "utf8"), "export type Schema = object;\n");
});
