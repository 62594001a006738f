import assert from "node:assert/strict";
import { globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../../../../test/support/run.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { Visitor } from "../../../../../test/support/visitor.ts";
import { checkStyle, checkTypes, runScriptOrFail, whileServing } from "../../support/generated-app.ts";
import { runCommand, runTool } from "../../support/tool.ts";

const folder = temporaryFolder("adding-a-column");

async function generate(template: string): Promise<string> {
  await runTool(folder, "app", `--name=${template}-shop`, `--template=${template}`);
  const app = join(folder, `${template}-shop`);
  symlinkSync(join(root, "node_modules"), join(app, "node_modules"));
  const { code, stderr } = await runTool(app, "g", "resource", "product", "--fields=title:string,price:number");
  assert.equal(code, 0, stderr);
  return app;
}

/** The files of an application by their paths. */
function readAll(app: string): Map<string, string> {
  const paths = globSync("{src,test,views}/**/*.{ts,eta}", { cwd: app });
  return new Map(paths.map((path) => [path, readFileSync(join(app, path), "utf8")]));
}

/** Runs the edits and returns the files that they have changed. */
async function findChanged(app: string, edit: () => unknown): Promise<string[]> {
  const before = readAll(app);
  await edit();
  return [...readAll(app)].filter(([path, text]) => before.get(path) !== text).map(([path]) => path);
}

function insertBefore(app: string, path: string, line: string, added: string): void {
  const text = readFileSync(join(app, path), "utf8");
  assert.equal(text.split(line).length, 2, `${path} has one ${line}`);
  writeFileSync(join(app, path), text.replace(line, added + line));
}

async function addColumn(app: string): Promise<void> {
  const made = await runCommand("migrate", "make", "add-sold-at-to-products", `--in=${app}`);
  assert.equal(made.code, 0, made.stderr);
  const migrations = join(app, "src/products/products.migrations.ts");
  writeFileSync(migrations, readFileSync(migrations, "utf8").replace(/^ *draft: true,.*\n/m, ""));
  insertBefore(app, "src/products/products.dto.ts", "  created_at: ", '  sold_at: timestamp("nullable"),\n');
}

const formField = `<label for="sold_at">Sold at</label>
<input id="sold_at" name="sold_at" value="<%= page.old("sold_at", data.sold_at) %>">
`;
const column = ["src/products/products.dto.ts", "src/products/products.migrations.ts"];
const sent = "2026-11-17T10:30:00+01:00";
const stored = "2026-11-17T09:30:00.000Z";

test("a column is a migration and a line of the DTO, and in an application with pages a field of the form", async () => {
  const [api, web] = await Promise.all(["api", "web"].map(generate));
  assert.ok(api !== undefined && web !== undefined);
  assert.deepEqual((await findChanged(api, () => addColumn(api))).sort(), column);
  const changed = await findChanged(web, async () => {
    await addColumn(web);
    insertBefore(web, "views/products/form.eta", "<button>", formField);
  });
  assert.deepEqual(changed.sort(), [...column, "views/products/form.eta"]);
  await checkStyle([api, web]);
  await checkTypes(folder, [api, web]);
  for (const app of [api, web]) await runScriptOrFail(app, "test", [], { NODE_OPTIONS: "--test-isolation=none" });

  await whileServing(api, "start", async (url) => {
    const call = async (method: string, path: string, body?: object) => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(url + path, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      return (await response.json()) as { readonly id: string; readonly sold_at: unknown }; // of the DTO
    };
    const { id, sold_at } = await call("POST", "/products", { title: "Chair", price: 49.5 });
    assert.equal(sold_at, null);
    assert.equal((await call("PATCH", `/products/${id}`, { sold_at: sent })).sold_at, stored);
    const changed = await call("PATCH", `/products/${id}`, { title: "Table" });
    assert.partialDeepStrictEqual(changed, { title: "Table", price: 49.5, sold_at: stored });
    assert.deepEqual(await call("GET", `/products/${id}`), changed);
    const issues = [{ in: "body", path: "sold_at", rule: "timestamp" }];
    assert.partialDeepStrictEqual(await call("PATCH", `/products/${id}`, { sold_at: "soon" }), { issues });
  });

  await whileServing(web, "start", async (url) => {
    const visitor = new Visitor(url);
    const { path } = await visitor.submit("/products/new", { title: "Chair", price: "49.5", sold_at: sent });
    assert.match((await visitor.open(`${path}/edit`)).html, new RegExp(`name="sold_at" value="${stored}"`));
    await visitor.submit(`${path}/edit`, { title: "Chair", price: "49.5", sold_at: "" });
    assert.match((await visitor.open(`${path}/edit`)).html, /name="sold_at" value=""/);
  });
});
