import assert from "node:assert/strict";
import { test } from "node:test";
import { type Context, route } from "@tenon/core";
import { noteFigures } from "../support/figures.ts";
import { Runs, withServer } from "../support/guard-runs.ts";

/** The spellings of a guarded path with which advisories bypassed its guard. */
function mutationsOf(path: string): string[] {
  const encode = (index: number) => {
    const code = path.charCodeAt(index).toString(16);
    return `${path.slice(0, index)}%${code}${path.slice(index + 1)}`;
  };
  const characters = [...path].map((character) => `%${character.charCodeAt(0).toString(16)}`);
  const encoded = Array.from({ length: path.length - 1 }, (_, index) => encode(index + 1));
  const inserted = "/ ../ ./ %2e/ %2e%2e/ %2f %5c \\ ;x ;/ %00 %20 %09 %0a ? # * :".split(" ");
  const slashes = [...path.matchAll(/\//g)].map((match) => match.index + 1);
  return [
    path,
    `/${characters.slice(1).join("")}`,
    ...encoded,
    ...encoded.map((text) => text.replace("%", "%25")),
    ...encoded.map((text) => text.replace(/%../, (code) => code.toUpperCase())),
    ...slashes.flatMap((index) => inserted.map((text) => path.slice(0, index) + text + path.slice(index))),
    ...inserted.map((text) => path + text),
    ...[path.toUpperCase(), path.replace("a", "A"), `${path}/`, `${path}//`, `/.${path}`, `/x/..${path}`],
    ...[`${path}?`, `${path}?x=/`, `${path}#`, `${path}#/x`, `http://localhost${path}`, `http://localhost/${path}`],
  ];
}

test("no spelling of a guarded path runs its handler without its guard (P1)", () => {
  const runs = new Runs();
  const routes = [
    runs.group("/admin", runs.route("/"), runs.route("/users"), runs.route("/users/:id"), runs.route("/files/*")),
  ];
  return withServer(routes, async (get) => {
    const all = ["/admin", "/admin/users", "/admin/users/7", "/admin/files/a/b"].map(mutationsOf);
    const fewestMutations = Math.min(...all.map(({ length }) => length));
    assert.ok(fewestMutations >= 60, `${fewestMutations} mutations`);
    let requests = 0;
    for (const mutations of all) {
      for (const target of mutations) {
        for (const method of ["GET", "HEAD"]) {
          const { status } = await get(target, method);
          requests++;
          assert.ok(status === 200 || status === 404 || status === 400, `${method} ${target}: ${status}`);
          assert.equal(runs.handler, runs.guard.length, `${method} ${target}`);
        }
      }
    }
    assert.ok(runs.handler > 100, "many spellings do reach the handler, with the guard");
    const withoutGuard = runs.handler - runs.guard.length;
    noteFigures({ requests, fewestMutations, handlerRuns: runs.handler, withoutGuard });
  });
});

test("no spelling of a guarded mount runs its fetch handler without the guard, or with another path (P1)", () => {
  const runs = new Runs();
  const fetching = (request: Request, ctx: Context) => {
    runs.handler++;
    assert.equal(new URL(request.url).pathname, ctx.path);
    return new Response("mounted");
  };
  const inner = runs.group("/admin/users", runs.route("/:id"), route.mount("/files", fetching));
  return withServer([runs.group("/", route.mount("/admin", fetching)), inner], async (get) => {
    const all = ["/admin", "/admin/users", "/admin/users/7", "/admin/users/files/b"].map(mutationsOf);
    const fewestMutations = Math.min(...all.map(({ length }) => length));
    let [requests, handlerRuns, withoutGuard] = [0, 0, 0];
    for (const target of all.flat()) {
      for (const method of ["GET", "HEAD", "OPTIONS"]) {
        [runs.guard.length, runs.handler] = [0, 0];
        const { status } = await get(target, method);
        requests++;
        handlerRuns += runs.handler;
        withoutGuard += runs.handler - Math.min(runs.handler, runs.guard.length);
        assert.ok(status === 200 || status === 404 || status === 400, `${method} ${target}: ${status}`);
        // the path that a URL would change is refused after the guard
        assert.equal(runs.handler, status === 400 ? 0 : runs.guard.length, `${method} ${target}`);
      }
    }
    assert.ok(handlerRuns > 100, "many spellings do reach the fetch handler, with the guard");
    noteFigures({ requests, fewestMutations, handlerRuns, withoutGuard });
  });
});
