import assert from "node:assert/strict";
import { test } from "node:test";
import { SqlSummaries, summarize } from "../../src/spans/sql-text.ts";

test("a statement is summarized by its verb and its first table", () => {
  for (const [sql, summary] of [
    ['select "id" from "posts" where "id" = $1', "SELECT posts"],
    ["insert into public.users (name) values (?)", "INSERT public.users"],
    ['update "posts" set "title" = ?', "UPDATE posts"],
    ["delete from posts", "DELETE posts"],
    ["create table if not exists notes (id integer)", "CREATE notes"],
    ["begin immediate", "BEGIN"],
    ["with recent as (select 1) select * from recent", "WITH recent"],
    ["  -- a comment\n commit", "COMMIT"],
    ["", "SQL"],
  ] as const) {
    assert.equal(summarize(sql).summary, summary, sql);
  }
});

test("literals are not recorded: strings, numbers, dollar quotes and comments", () => {
  const { text } = summarize(
    "select * from users where name = 'O''Brien' and pin = 1234 and x = $1 and y2 = 3.5 and z = $tag$secret$tag$ /* 99 */ limit 10",
  );
  assert.equal(text, "select * from users where name = ? and pin = ? and x = $1 and y2 = ? and z = ?   limit ?");
});

test("literals of other notations are not recorded: escapes, exponents, hexadecimal digits, quotes in names", () => {
  for (const [sql, text] of [
    ["select E'it\\'s hunter2' , 'x'", "select ? , ?"],
    ["select e'\\\\' || 'hunter2'", "select ? || ?"],
    [`select "it's" from t where p = 'hunter2'`, `select "it's" from t where p = ?`],
    ["select 1e5, 0xCAFE, 1_000, .75, -3, t1.c2, $1, ?2", "select ?, ?, ?, ?, -?, t1.c2, $1, ??"],
    ["select $$hunter2$$, $1", "select ?, $1"],
    ["select 'path\\' , 'hunter2'", "select ? , ?"],
  ] as const) {
    assert.equal(summarize(sql).text, text, sql);
  }
});

test("a literal that is cut off is not recorded either", () => {
  assert.equal(summarize(`select '${"x".repeat(9000)}'`).text, "select ?");
});

test("a long statement of a client's making takes no long time", () => {
  const hostile = `select ${"'".repeat(100_001)}${"$".repeat(50_000)}${"/*".repeat(50_000)}`;
  assert.ok(summarize(hostile).text.length <= 4000);
  const summaries = new SqlSummaries();
  assert.equal(summaries.of("select 1"), summaries.of("select 1"));
});
