import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createApp, inject, type Routes, route } from "@tenon/core";
import { FakeClock, useClock } from "@tenon/core/testing";
import { Database } from "@tenon/data";
import { worker } from "@tenon/jobs";
import { Mailer } from "@tenon/mail";
import { LogLines } from "../../core/test/support/log-lines.ts";
import { freePort } from "../../data/test/support/ports.ts";
import { withFolder } from "../../data/test/support/services.ts";
import { reach } from "../../jobs/test/support/jobs-app.ts";
import { createMailModule, Mails, ResetPassword, users, withMailApp } from "./support/mail-app.ts";
import { withSmtpServer } from "./support/smtp-server.ts";

class Resets {
  readonly #db = inject(Database);
  readonly #mailer = inject(Mailer);

  routes(): Routes {
    return [
      route.post("/resets/:id", async (ctx) => {
        const input = { user_id: ctx.param("id") };
        await this.#db.transaction().execute((transaction) => this.#mailer.send(ResetPassword, input, { transaction }));
        return { ok: true };
      }),
    ];
  }
}

test("a server that is down fails no request: the mail arrives when it is up again", async () => {
  const port = await freePort();
  const clock = new FakeClock();
  users.set("down", { address: "down@example.com" });
  const options = { declarations: [Mails, Resets], override: [useClock(clock)] };
  await withMailApp(
    { url: `smtp://127.0.0.1:${port}?tls=off` },
    async (app) => {
      const response = await app.request("POST", "/resets/down");
      assert.deepEqual([response.status, await response.json()], [200, { ok: true }]);
      for (const wait of ["1m", "10m"] as const) {
        const { done, failed } = await app.jobs.drain({ allowFailures: true });
        assert.deepEqual([done.length, failed.map(({ state }) => state)], [0, ["scheduled"]]);
        assert.match(failed[0]?.error ?? "", /^Error: \S+ could not be reached: connect ECONNREFUSED/);
        clock.advance(wait);
      }
      await withSmtpServer(
        { disabledCommands: ["STARTTLS"] },
        async ({ arrived }) => {
          assert.equal((await app.jobs.drain()).done[0]?.attempt, 3);
          assert.deepEqual(
            arrived.map((one) => one.to),
            [["down@example.com"]],
          );
        },
        port,
      );
    },
    options,
  );
});

test("a worker process sends mails", () =>
  withFolder((folder) =>
    withSmtpServer({ disabledCommands: ["STARTTLS"] }, async ({ port, arrived }) => {
      users.set("worker", { address: "worker@example.com" });
      const url = `smtp://127.0.0.1:${port}?tls=off`;
      const module = createMailModule({ url }, [Mails], `sqlite:${join(folder, "app.db")}`);
      const app = await createApp(module, worker(), { log: { level: "silent" }, onStartError: "throw" });
      await app.run();
      try {
        await reach(app, await app.get(Mailer).send(ResetPassword, { user_id: "worker" }), "done");
        assert.deepEqual(
          arrived.map((one) => one.to),
          [["worker@example.com"]],
        );
      } finally {
        await app.stop();
      }
    }),
  ));

test("production warns once, where jobs run, when mails are written to files", async () => {
  const warningsOf = async (url: string) => {
    const log = new LogLines();
    const before = process.env.NODE_ENV;
    process.env.NODE_ENV = "production";
    try {
      const app = await createApp(createMailModule({ url }), worker(), { log: log.options, onStartError: "throw" });
      await app.run();
      await app.stop();
    } finally {
      if (before === undefined) delete process.env.NODE_ENV;
      else process.env.NODE_ENV = before;
    }
    return log.messages("warn");
  };
  assert.deepEqual(await warningsOf("file:data/mail"), [
    "mails are not sent in production (file data/mail): set the url of mailModule() to a mail server",
  ]);
  assert.deepEqual(await warningsOf("smtp://smtp.example.com"), []);
});
