import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { type JobRecord, Jobs } from "@tenon/jobs";
import { Mailer } from "@tenon/mail";
import type { SMTPServerOptions } from "smtp-server";
import { nextClient } from "../../data/test/support/next-client.ts";
import { type MailApp, ResetPassword, token, users, withMailApp } from "./support/mail-app.ts";
import { createCertificate, withSmtpServer } from "./support/smtp-server.ts";

const password = "p@ss:w0rd/secret";
const login = `blog:${encodeURIComponent(password)}@`;
const wrongPassword = "wr0ng:pass/word";
const toBase64 = (text: string) => Buffer.from(text).toString("base64");
const secrets = [
  token,
  ...[password, wrongPassword].flatMap((text) => [
    text,
    encodeURIComponent(text),
    toBase64(text),
    toBase64(`\0blog\0${text}`),
  ]),
];
const certificate = createCertificate();
users.set("ada", { name: "Ada Größe", address: "ada@example.com" });

const acceptLogin: SMTPServerOptions["onAuth"] = (auth, _, done) =>
  auth.username === "blog" && auth.password === password
    ? done(null, { user: "blog" })
    : done(Object.assign(new Error(`no: ${auth.password}`), { responseCode: 535 }));

/** Sends one mail, whose job runs once. Whatever happens, no secret is logged or stored. */
async function send(
  url: string,
  { ca }: { ca?: string } = {},
  body?: (app: MailApp, id: number) => Promise<void>,
): Promise<JobRecord & { readonly error: string }> {
  const lines: string[] = [];
  const log = { level: "debug" as const, destination: { write: (line: string) => lines.push(line) } };
  return withMailApp(
    { url, ...(ca === undefined ? {} : { tls: { ca } }) },
    async (app) => {
      const id = await app.get(Mailer).send(ResetPassword, { user_id: "ada" });
      await app.jobs.drain({ allowFailures: true });
      const job = await app.get(Jobs).find(id);
      assert.ok(job);
      await body?.(app, id);
      const written = lines.join("\n") + JSON.stringify(await app.get(Jobs).list());
      assert.match(written, /mail\/reset-password/);
      for (const secret of secrets) assert.ok(!written.includes(secret), `"${secret}" is in ${written}`);
      return { ...job, error: (job.error ?? "").split("\n", 1)[0] ?? "" };
    },
    { log },
  );
}

test("a mail arrives with its headers and both bodies, without TLS where the URL says so", () =>
  withSmtpServer({ disabledCommands: ["STARTTLS"] }, async ({ port, arrived }) => {
    const { id, state, createdAt } = await send(`smtp://127.0.0.1:${port}?tls=off`);
    assert.equal(state, "done");
    const [{ from, to, mail, raw } = assert.fail("nothing arrived"), ...others] = arrived;
    assert.deepEqual([others, from, to], [[], "no-reply@example.com", ["ada@example.com"]]);
    assert.equal(mail.from?.text, '"Blog" <no-reply@example.com>');
    assert.deepEqual([mail.to].flat()[0]?.value, [{ name: "Ada Größe", address: "ada@example.com" }]);
    assert.equal(mail.subject, "Ada Größe, reset your password");
    assert.equal(mail.messageId, `<${id}.${Date.parse(createdAt)}@example.com>`);
    assert.match(raw, /^Auto-Submitted: auto-generated\r$/m);
    assert.match(
      mail.text ?? "",
      new RegExp(`^Hello Ada Größe,\n\nset a new password: https://example.com/reset\\?token=${token}&page=1`),
    );
    assert.match(String(mail.html), /<p>Hello Ada Größe,<\/p>/);
  }));

test("STARTTLS and smtps: with a certificate that the module trusts, and a login", async () => {
  const { key, cert } = await certificate;
  const options = { key, cert, authOptional: false, onAuth: acceptLogin };
  for (const secure of [false, true]) {
    await withSmtpServer({ ...options, secure }, async ({ port, arrived }) => {
      const url = `${secure ? "smtps" : "smtp"}://${login}127.0.0.1:${port}`;
      assert.equal((await send(url, { ca: cert })).state, "done");
      assert.deepEqual(
        arrived.map((one) => one.secure),
        [true],
      );
      const untrusted = await send(url);
      assert.equal(untrusted.state, "scheduled");
      assert.match(untrusted.error, /^Error: 127\.0\.0\.1:\d+ could not be reached: .*self-signed certificate/);
      assert.equal(arrived.length, 1, "no mail is sent to a server that is not trusted");
    });
  }
});

const quoting = (code: number, text: string) =>
  Object.assign(new Error(`${text} https://example.com/reset?token=${token}`), { responseCode: code });

const refusals: readonly { name: string; url: string; options: SMTPServerOptions; state: string; error: RegExp }[] = [
  {
    name: "a wrong password",
    url: `smtp://blog:${encodeURIComponent(wrongPassword)}@`,
    options: { authOptional: false, allowInsecureAuth: true, onAuth: acceptLogin },
    state: "scheduled",
    error: /^Error: \S+ refused user and password \(535\)$/,
  },
  {
    name: "an unknown recipient",
    url: "smtp://",
    options: { onRcptTo: (_, __, done) => done(quoting(550, "5.1.1 no such user")) },
    state: "dead",
    error: /^UnrecoverableError: \S+ refused the recipient \(550 5\.1\.1\)$/,
  },
  {
    name: "a refused sender, which is a matter of configuration",
    url: "smtp://",
    options: { onMailFrom: (_, __, done) => done(quoting(553, "5.7.1 not allowed")) },
    state: "scheduled",
    error: /^Error: \S+ did not accept the sender now \(553 5\.7\.1\)$/,
  },
  {
    name: "a spam filter that quotes the link",
    url: "smtp://",
    options: { onData: (stream, _, done) => void stream.resume().on("end", () => done(quoting(554, "5.7.1 spam"))) },
    state: "dead",
    error: /^UnrecoverableError: \S+ refused the mail \(554 5\.7\.1\)$/,
  },
];

// at once: smtp-server greets each client after 100 ms
describe("refused", { concurrency: true }, () => {
  for (const { name, url, options, state, error } of refusals) {
    test(name, async () => {
      const { key, cert } = await certificate;
      await withSmtpServer({ key, cert, ...options }, async ({ port, arrived }) => {
        const job = await send(`${url}127.0.0.1:${port}`, { ca: cert });
        assert.match(job.error, error);
        assert.deepEqual([job.state, job.attempt, arrived.length], [state, 1, 0]);
      });
    });
  }
});

test("nothing is sent in clear text to a server without STARTTLS", async () => {
  const commands: string[] = [];
  const peer = createServer((socket) => {
    socket.on("error", () => {});
    socket.write("220 localhost\r\n");
    const lines = createInterface({ input: socket });
    lines.on("line", (line) => {
      commands.push(line);
      if (line.startsWith("EHLO")) socket.write("250-localhost\r\n250-AUTH PLAIN LOGIN\r\n250 SMTPUTF8\r\n");
      else socket.write(line === "STARTTLS" ? "502 5.5.1 not implemented\r\n" : "250 ok\r\n"); // would accept all others
    });
  });
  await withListener(peer, async (port) => {
    const job = await send(`smtp://${login}127.0.0.1:${port}`);
    assert.equal(job.state, "scheduled");
    const cure = "Use a port with TLS, or smtps:. ?tls=off sends mails and the password in clear text.";
    assert.equal(job.error, `Error: 127.0.0.1:${port} does not offer STARTTLS (502 5.5.1): nothing was sent. ${cure}`);
  });
  assert.deepEqual(
    commands.map((line) => line.split(" ", 1)[0]).filter((name) => name !== "QUIT"),
    ["EHLO", "STARTTLS"],
  );
});

test("a server that greylists gets the mail again, and once", async () => {
  let refused = 0;
  const options: SMTPServerOptions = {
    disabledCommands: ["STARTTLS"],
    onRcptTo: (_, __, done) => (refused++ === 0 ? done(quoting(451, "4.7.1 try again later")) : done()),
  };
  await withSmtpServer(options, async ({ port, arrived }) => {
    const job = await send(`smtp://127.0.0.1:${port}?tls=off`, {}, async (app, id) => {
      assert.equal(arrived.length, 0);
      await app.get(Jobs).retry(id); // instead of waiting
      await app.jobs.drain();
      await app.jobs.drain();
    });
    assert.deepEqual(
      [job.state, job.error],
      ["scheduled", `Error: 127.0.0.1:${port} did not accept the recipient now (451 4.7.1)`],
    );
    assert.equal(arrived.length, 1);
  });
});

test("a connection that breaks after the mail was sent: it is sent again with the same Message-ID", async () => {
  const ids: (string | undefined)[] = [];
  const peer = createServer((socket) => {
    let body = "";
    let isBody = false;
    socket.on("error", () => {});
    socket.write("220 localhost\r\n");
    socket.on("data", (chunk) => {
      if (isBody) {
        body += chunk;
        if (body.includes("\r\n.\r\n")) {
          ids.push(/^Message-ID: (.*)\r$/m.exec(body)?.[1]);
          socket.destroy();
        }
        return;
      }
      isBody = /^DATA/m.test(String(chunk));
      socket.write(isBody ? "354 go on\r\n" : "250 ok\r\n");
    });
  });
  await withListener(peer, async (port) => {
    const job = await send(`smtp://127.0.0.1:${port}?tls=off`, {}, async (app, id) => {
      await app.get(Jobs).retry(id);
      await app.jobs.drain({ allowFailures: true });
    });
    assert.match(job.error, /^Error: \S+ could not be reached: /);
  });
  assert.equal(ids.length, 2);
  assert.ok(ids[0] !== undefined && ids[0] === ids[1]);
});

/** What a server says, in order, and the step at which its client gives up. */
const silences = [
  ["accept the connection", "30 s", []],
  ["send its greeting", "30 s", []],
  ["complete the TLS handshake", "30 s", ["220 localhost", "250-localhost\r\n250 STARTTLS", "220 go on"]],
  ["reply to a command", "60 s", ["220 localhost"]],
] as const;

for (const [step, limit, replies] of silences) {
  test(`a server that does not ${step} in time: the job is tried again, and its error names the step`, async (t) => {
    const left: string[] = [...replies];
    const lastHeard = Promise.withResolvers<void>();
    const silent = createServer((socket) => {
      socket.on("error", () => {});
      const reply = () => (left.length === 0 ? lastHeard.resolve() : socket.write(`${left.shift()}\r\n`));
      socket.on("data", reply);
      if (left.length > 0) reply();
    });
    await withListener(silent, async (port) => {
      t.mock.timers.enable({ apis: ["setTimeout"] });
      const client = nextClient();
      const sent = send(`smtp://127.0.0.1:${port}`);
      const socket = await client; // the system has not connected it yet
      if (step !== "accept the connection") await once(socket, "connect");
      if (replies.length > 0) await lastHeard.promise;
      if (step !== "reply to a command") t.mock.timers.tick(30_000);
      else {
        assert.equal(socket.timeout, 60_000);
        socket.emit("timeout"); // as Node does, whose timers of sockets cannot be mocked
      }
      const job = await sent;
      assert.equal(job.state, "scheduled");
      assert.equal(job.error, `Error: 127.0.0.1:${port} did not ${step} within ${limit}`);
    });
  });
}

test("a server that is not there: the job is tried again", async () => {
  const closed = await withListener(createServer(), async (port) => port);
  const job = await send(`smtp://${login}127.0.0.1:${closed}`);
  assert.equal(job.state, "scheduled");
  assert.match(job.error, /^Error: \S+ could not be reached: connect ECONNREFUSED/);
});

async function withListener<T>(
  server: ReturnType<typeof createServer>,
  body: (port: number) => Promise<T>,
): Promise<T> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await body((server.address() as AddressInfo).port); // it listens on TCP
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
