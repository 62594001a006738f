import assert from "node:assert/strict";
import { test } from "node:test";
import { type Context, defineModule, type Routes } from "@tenon/core";
import { createTestApp, type TestHttpApp } from "@tenon/core/testing";
import { type DataOptions, dataModule, KeyValue } from "@tenon/data";
import { redirect, sessionsModule, view, WebSessions, web } from "@tenon/web";
import { keyValues, shared } from "../support/stores.ts";

class Site {
  routes(): Routes {
    return [
      { method: "GET", path: "/", handler: this.show },
      { method: "POST", path: "/", handler: this.change },
    ];
  }

  async show(ctx: Context) {
    return view("site", (await ctx.get("session").get("cart")) ?? null);
  }

  async change(ctx: Context) {
    const session = ctx.get("session");
    const form = await ctx.request().form();
    if (form.has("regenerate")) await session.regenerate();
    if (form.has("destroy")) await session.destroy();
    if (form.has("cart")) await session.set("cart", form.all("cart"));
    if (form.has("flash")) await session.flash("done", form.get("flash"));
    return redirect("/");
  }
}

interface Shown {
  readonly cart: readonly string[] | null;
  readonly flash: readonly string[];
  readonly token: string;
}

async function withSite(options: DataOptions, body: (app: TestHttpApp) => Promise<void>): Promise<void> {
  const module = defineModule({
    name: "site",
    imports: [sessionsModule(dataModule(options), { store: KeyValue, secret: "a secret that is long enough for all" })],
    declarations: [Site],
  });
  const views = {
    has: (name: string) => name === "site",
    render: (
      _name: string,
      { data, page }: { data: unknown; page: { flash: readonly { text: string }[]; csrfToken(): string } },
    ) => JSON.stringify({ cart: data, flash: page.flash.map(({ text }) => text), token: page.csrfToken() }),
  };
  const app = await createTestApp(module, web({ views, middlewares: [WebSessions] }));
  try {
    await body(app);
  } finally {
    await app.stop();
  }
}

/** A client with one cookie, as a browser keeps it. */
class Visitor {
  cookie = "";

  async see(app: TestHttpApp): Promise<Shown> {
    const response = await this.#send(app, "GET");
    assert.equal(response.status, 200);
    return (await response.json()) as Shown; // as the view writes it
  }

  async change(app: TestHttpApp, fields: Record<string, string>): Promise<void> {
    const { token } = await this.see(app);
    const body = new URLSearchParams({ ...fields, _csrf: token });
    assert.equal((await this.#send(app, "POST", body)).status, 303);
  }

  async #send(app: TestHttpApp, method: string, body?: URLSearchParams): Promise<Response> {
    const headers = this.cookie === "" ? {} : { cookie: this.cookie };
    const response = await app.fetch(new Request("http://localhost/", { method, headers, body: body ?? null }));
    for (const line of response.headers.getSetCookie()) {
      this.cookie = line.includes("Max-Age=0") ? "" : line.slice(0, line.indexOf(";"));
    }
    return response;
  }
}

for (const adapter of keyValues) {
  test(`the store keeps the sessions of pages, one for each browser (${adapter.name})`, () =>
    adapter.with((options) =>
      withSite(options, async (app) => {
        const [ada, bob] = [new Visitor(), new Visitor()];
        await ada.change(app, { cart: "bööks", flash: "saved" });
        await bob.change(app, { cart: "pens" });
        const page = await ada.see(app);
        assert.deepEqual([page.cart, page.flash], [["bööks"], ["saved"]]);
        assert.deepEqual((await ada.see(app)).flash, []);
        assert.deepEqual((await bob.see(app)).cart, ["pens"]);
        const before = ada.cookie;
        await ada.change(app, { regenerate: "1" });
        assert.notEqual(ada.cookie, before);
        assert.deepEqual((await ada.see(app)).cart, ["bööks"]);
        const thief = new Visitor();
        thief.cookie = before;
        assert.equal((await thief.see(app)).cart, null);
        await ada.change(app, { destroy: "1" });
        assert.equal(ada.cookie, "");
      }),
    ));
}

for (const adapter of shared) {
  test(`a session created on one instance is valid and ends on all of them, and survives a restart (${adapter.name})`, () =>
    adapter.with(async (options) => {
      const visitor = new Visitor();
      await withSite(options, (one) =>
        withSite(options, async (two) => {
          await visitor.change(one, { cart: "books" });
          assert.deepEqual((await visitor.see(two)).cart, ["books"]);
          const old = visitor.cookie;
          await visitor.change(two, { regenerate: "1", flash: "moved" });
          const copy = new Visitor();
          copy.cookie = old;
          assert.equal((await copy.see(one)).cart, null);
        }),
      );
      await withSite(options, async (again) => {
        const { cart, flash } = await visitor.see(again);
        assert.deepEqual([cart, flash], [["books"], ["moved"]]);
      });
    }));
}
