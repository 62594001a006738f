import assert from "node:assert/strict";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { HttpError, StartError } from "@tenon/core";
import type { Page } from "@tenon/web";
import { rejection } from "../../../core/test/support/start-error.ts";
import { createEtaEngine } from "../../src/views/eta-engine.ts";
import { TemplateError } from "../../src/views/view-engine.ts";
import { type Files, temporaryViews, writeViews } from "../support/views.ts";

const page = { path: "/posts", old: () => "typed" } as unknown as Page; // as much of one as these views ask for

async function engineOf(files: Files, { development = true } = {}) {
  const folder = temporaryViews(files);
  const engine = await createEtaEngine(folder, development);
  return { folder, engine, render: (name: string, data: unknown = {}) => engine.render(name, { data, page }) };
}

test("a view gets its data and the page, and its output is escaped", async () => {
  const { render } = await engineOf({
    "posts/show.eta": '<h1 title="<%= data.title %>"><%= data.title %></h1><%~ data.html %> <%= page.path %>',
  });
  assert.equal(
    await render("posts/show", { title: `<script>"'&`, html: "<b>" }),
    '<h1 title="&lt;script&gt;&quot;&#39;&amp;">&lt;script&gt;&quot;&#39;&amp;</h1><b> /posts',
  );
});

test("undefined and null write nothing; zero and false are written", async () => {
  const { render } = await engineOf({ "a.eta": "[<%= undefined %><%= null %><%~ data.none %>][<%= 0 %><%= false %>]" });
  assert.equal(await render("a"), "[][0false]");
});

test("a layout gets the body, its own data, and the data of the view", async () => {
  const { render } = await engineOf({
    "layout.eta": "<title><%= it.title %></title><%~ it.body %>|<%= data.name %>|<%= page.path %>",
    "posts/show.eta": '<% layout("/layout", { title: "<Show>" }) %>Hello <%= data.name %>',
  });
  assert.equal(await render("posts/show", { name: "Ada" }), "<title>&lt;Show&gt;</title>Hello Ada|Ada|/posts");
});

test("partials are relative to the folder or to the view, with or without the extension", async () => {
  const { render } = await engineOf({
    "partials/name.eta": "<b><%= data.name %></b>",
    "posts/row.eta": '<%= data.name %> of <%= page.path %>, <%~ include("../partials/name") %>',
    "posts/list.eta": [
      '<% for (const post of data) { %><%~ include("row", { data: post }) %>;<% } %>',
      '<%~ include("./row.eta", { data: data[0] }) %>',
      '<%~ include("/partials/name", { data: data[1] }) %>',
    ].join("|"),
  });
  assert.equal(
    await render("posts/list", [{ name: "A" }, { name: "B" }]),
    "A of /posts, <b>A</b>;B of /posts, <b>B</b>;|A of /posts, <b>A</b>|<b>B</b>",
  );
});

const outside = [
  "../secret",
  "/../secret",
  "posts/../../secret",
  "..\\secret",
  "out",
  "links/secret",
  ".hidden",
  "posts/.hidden",
  "posts",
  "posts/",
  "/posts/show",
  "posts//show",
  "posts/show\0",
  "posts/show.eta",
  "@named",
  "",
  ".",
  "constructor",
  "__proto__",
];

for (const development of [true, false]) {
  const where = development ? "in development" : "in production";

  test(`no name leads out of the folder, to a hidden file or to a directory ${where}`, async () => {
    const folder = temporaryViews({ "posts/show.eta": "ok", ".hidden.eta": "secret", "posts/.hidden.eta": "secret" });
    writeFileSync(join(dirname(folder), "secret.eta"), "secret");
    mkdirSync(join(dirname(folder), "other"));
    writeFileSync(join(dirname(folder), "other", "secret.eta"), "secret");
    symlinkSync(join(dirname(folder), "secret.eta"), join(folder, "out.eta"));
    symlinkSync(join(dirname(folder), "other"), join(folder, "links"));
    symlinkSync(join(folder, "posts", "show.eta"), join(folder, "inside.eta"));
    const engine = await createEtaEngine(folder, development);
    for (const name of outside) assert.equal(engine.has(name), false, JSON.stringify(name));
    assert.equal(engine.has("posts/show"), true);
    assert.equal(await engine.render("inside", { data: {}, page }), "ok", "a link to a view is one");
    assert.deepEqual([...(engine.names?.() ?? [])].sort(), ["inside", "posts/show"]);
    assert.throws(() => engine.render("../secret", { data: {}, page }), /There is no view/);
  });

  test(`a view cannot include what lies outside the folder ${where}`, async () => {
    const { engine, folder } = await engineOf({ "a.eta": "<%~ include(data) %>" }, { development });
    writeFileSync(join(dirname(folder), "secret.eta"), "secret");
    for (const name of ["../secret", "/../secret", join(dirname(folder), "secret.eta")]) {
      assert.throws(() => engine.render("a", { data: name, page }), /There is no view/, name);
    }
  });
}

test("in development a changed view is read again, in production it is not", async () => {
  for (const development of [true, false]) {
    const { folder, render } = await engineOf({ "a.eta": "one <%~ include('b') %>", "b.eta": "one" }, { development });
    assert.equal(await render("a"), "one one");
    writeViews(folder, { "a.eta": "two <%~ include('b') %>", "b.eta": "two" });
    assert.equal(await render("a"), development ? "two two" : "one one");
  }
});

test("a view that is added in development is there", async () => {
  const { folder, engine } = await engineOf({});
  assert.equal(engine.has("late"), false);
  writeViews(folder, { "late.eta": "late" });
  assert.equal(engine.has("late"), true);
});

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return assert.fail("it did not throw");
}

test("an error has the file and the line of the view, also of a partial and of a layout", async () => {
  const { folder, render } = await engineOf({
    "fails.eta": "<p>\n\n<%= data.author.name %>",
    "around.eta": "one\n<%~ include('fails') %>",
    "layout.eta": "<body>\n<%= missing %>",
    "laid.eta": "<% layout('layout') %>body",
  });
  const places: readonly [view: string, file: string, line: number, reason: RegExp][] = [
    ["fails", "fails.eta", 3, /Cannot read properties of undefined \(reading 'name'\)/],
    ["around", "fails.eta", 3, /Cannot read properties of undefined/],
    ["laid", "layout.eta", 2, /missing is not defined/],
  ];
  for (const [view, file, line, reason] of places) {
    const error = thrownBy(() => render(view));
    assert.ok(error instanceof TemplateError, view);
    assert.deepEqual([error.file, error.line], [join(realpathSync(folder), file), line]);
    assert.match(error.message, reason);
    assert.ok(error.cause instanceof Error && !(error.cause instanceof TemplateError), "the cause is what was thrown");
  }
});

test("a value that a view throws is in the message, and an HttpError stays one", async () => {
  const { render } = await engineOf({ "a.eta": "<% throw data %>" });
  const error = thrownBy(() => render("a", "text"));
  assert.ok(error instanceof TemplateError);
  assert.match(error.message, /a\.eta:1: the text "text"$/);
  const gone = new HttpError(410, "Gone");
  assert.equal(
    thrownBy(() => render("a", gone)),
    gone,
  );
});

const broken: readonly [title: string, text: string, line: number | undefined, reason: RegExp][] = [
  ["a tag that does not end", "one\ntwo\n<%= data.title", 3, /unclosed tag/],
  ["a text that does not end", "one\n<%= 'title %>", 2, /unclosed string/],
  ["code that is none", "one\n\n<% if (data { %>\nyes\n<% } %>", 3, /Unexpected token '\{'/],
  ["a word too many", "one\n<%= data title %>\nthree", 2, /missing \) after argument list/],
  ["a brace too few", "one\n<% if (data) { %>\nyes", 2, /a \{ or a \} has no counterpart/],
  ["a brace too many", "one\n<% if (data) { %>\nyes<% } %>\n<% } %>", 4, /a \{ or a \} has no counterpart/],
];

for (const [title, text, line, reason] of broken) {
  test(`${title} is reported with its file and line, when the page is rendered in development`, async () => {
    const { folder, render } = await engineOf({ "broken.eta": text });
    const error = thrownBy(() => render("broken"));
    assert.ok(error instanceof TemplateError);
    assert.deepEqual([error.file, error.line], [join(realpathSync(folder), "broken.eta"), line]);
    assert.match(error.message, reason);
  });
}

test("a broken text that a view compiles itself is reported with its line, and without a file", async () => {
  const { render } = await engineOf({ "a.eta": "<%~ this.renderString(data, it) %>" });
  assert.equal(render("a", "<%= page.path %>"), "/posts");
  const error = thrownBy(() => render("a", "one\n<%= data.title"));
  assert.ok(error instanceof TemplateError);
  assert.deepEqual([error.file, error.line], ["", 2]);
  assert.match(error.message, /unclosed tag/);
});

test("a broken view is reported without its line where errors have no stack", async () => {
  const { folder, render } = await engineOf({ "broken.eta": "one\n<% if (data { %>" });
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = () => undefined;
  let error: unknown;
  try {
    error = thrownBy(() => render("broken"));
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
  assert.ok(error instanceof TemplateError);
  assert.deepEqual([error.file, error.line], [join(realpathSync(folder), "broken.eta"), undefined]);
  assert.match(error.message, /broken\.eta: Unexpected token '\{'$/);
});

const depth = 50_000;
const unusual: readonly [title: string, text: string, error: { readonly name: string; readonly message: RegExp }][] = [
  [
    "a view that is nested too deeply for the engine",
    `<%= ${"(".repeat(depth)}1${")".repeat(depth)} %>`,
    { name: "RangeError", message: /^Maximum call stack size exceeded$/ },
  ],
  [
    "a view that leaves the function around it and opens another one",
    "<% } finally {} }); (function () { try { %>",
    { name: "EtaParser Error", message: /^Bad template syntax/ },
  ],
];

for (const [title, text, expected] of unusual) {
  test(`${title} fails with the original error: when it is rendered, and at the start in production`, async () => {
    const { render } = await engineOf({ "a.eta": text });
    assert.throws(() => render("a"), expected);
    await assert.rejects(engineOf({ "a.eta": text }, { development: false }), expected);
  });
}

test("in production broken views stop the start, and all of them are reported", async () => {
  const error = await rejection(
    engineOf({ "a.eta": "<%= x", "b.eta": "fine", "c/d.eta": "<% if ( %>" }, { development: false }),
  );
  assert.deepEqual(
    error.problems.map((problem) => [problem.code, /(\w+\.eta:\d)/.exec(problem.message)?.[1]]),
    [
      ["BAD_VIEW", "a.eta:1"],
      ["BAD_VIEW", "d.eta:1"],
    ],
  );
});

test("a file with a name that no view can have is reported at start, once, and hidden files are not", async () => {
  for (const development of [true, false]) {
    const warnings: string[] = [];
    const folder = temporaryViews({ "fine.eta": "", ".hidden.eta": "", "with space.eta": "", "ünder/b.eta": "" });
    const engine = await createEtaEngine(folder, development, { warn: (text) => warnings.push(text) });
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0] ?? "",
      /^The file "(?:with space|ünder\/b)\.eta" \(and 1 more\) in .*views is not a view\. Names of views are made of the letters a to z, digits, "_", "-" and "\.", /,
    );
    assert.deepEqual([...(engine.names?.() ?? [])], ["fine"]);
  }
  const none: string[] = [];
  await createEtaEngine(temporaryViews({ "fine.eta": "", ".hidden.eta": "" }), false, {
    warn: (text) => none.push(text),
  });
  assert.deepEqual(none, []);
});

test("the folder is a path or a URL of a directory", async () => {
  const folder = temporaryViews({ "a.eta": "a" });
  assert.equal((await createEtaEngine(pathToFileURL(`${folder}/`), true)).has("a"), true);
  for (const wrong of [join(folder, "none"), join(folder, "a.eta")]) {
    const error = await rejection(createEtaEngine(wrong, true));
    assert.ok(error instanceof StartError);
    assert.equal(
      error.message,
      `views of web() is "${wrong}", which is not a directory. Make it, or name the folder of your views.`,
    );
  }
});
