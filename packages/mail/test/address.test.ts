import assert from "node:assert/strict";
import { test } from "node:test";
import { Jobs } from "@tenon/jobs";
import { isAddress, Mailer, parseAddress } from "@tenon/mail";
import { ResetPassword, users, withMailApp } from "./support/mail-app.ts";
import { withSmtpServer } from "./support/smtp-server.ts";

const valid: Readonly<Record<string, string>> = {
  "ada@example.com": "ada@example.com",
  "ada.lovelace+blog@mail.example.co.uk": "ada.lovelace+blog@mail.example.co.uk",
  "o'hara_1/x=y@Example.COM": "o'hara_1/x=y@Example.COM",
  "root@localhost": "root@localhost",
  "ada@münchen.example": "ada@xn--mnchen-3ya.example",
};

test("addresses in ASCII and domains of other scripts are accepted", () => {
  for (const [text, address] of Object.entries(valid)) {
    assert.equal(isAddress(text), true, text);
    assert.deepEqual(parseAddress(text), { address });
  }
  assert.deepEqual(parseAddress("The Blog <no-reply@example.com>"), {
    name: "The Blog",
    address: "no-reply@example.com",
  });
  assert.deepEqual(parseAddress("<no-reply@example.com>"), { address: "no-reply@example.com" });
});

/** What a parser, a header or an SMTP command could read as something else. */
const attacks: readonly (readonly [what: string, address: string])[] = [
  ["a quoted local part (CVE-2025-13033)", '"xclow3n@gmail.com x"@internal.domain'],
  ["a quoted local part without spaces", '"ada"@example.com'],
  ["text after a comment joined to the domain (CVE-2026-92597)", "user@good-corp.com (x)evil.com"],
  ["a comment in the local part", "ada(x)@example.com"],
  ["full-width letters, which UTS 46 maps to ASCII (CVE-2026-92598)", "ada@ｅxample.com"],
  ["a dot of another script (CVE-2026-92598)", "ada@example。com"],
  ["a sign that UTS 46 removes (CVE-2026-92598)", "ada@exam\u00adple.com"],
  ["deep groups (CVE-2025-14874)", `${"g0: ".repeat(3000)}ada@example.com;`],
  ["a group", "friends: ada@example.com, bob@example.com;"],
  ["a list", "ada@example.com, bob@example.com"],
  ["a name", "Ada <ada@example.com>"],
  ["an angle bracket", "ada@example.com>bob@example.com"],
  ["CRLF and a command", "ada@example.com>\r\nRCPT TO:<bob@example.com"],
  ["LF and a header", "ada@example.com\nBcc: bob@example.com"],
  ["CR", "ada@example.com\r"],
  ["NUL", "ada@example.com\0"],
  ["a parameter of the command (GHSA-c7w3-x93f-qmm8)", "ada@example.com SIZE=1"],
  ["two @", "ada@bob@example.com"],
  ["a source route", "@bob.example:ada@example.com"],
  ["a flag of sendmail", "-oQ/tmp@example.com"],
  ["an address literal", "ada@[127.0.0.1]"],
  ["an IP address", "ada@127.0.0.1"],
  ["letters outside ASCII in the local part", "adä@example.com"],
  ["two dots", "ada..b@example.com"],
  ["a dot at the end", "ada.@example.com"],
  ["a label that ends with -", "ada@example-.com"],
  ["an empty domain", "ada@"],
  ["an empty local part", "@example.com"],
  ["a long local part", `${"a".repeat(65)}@example.com`],
  ["a long domain", `ada@${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(63)}.com`],
  ["a percent sign in the domain", "ada@ex%61mple.com"],
  ["spaces", " ada@example.com"],
  ["an encoded word, which some servers decode to another address", "=?x?q?ada=40evil.example=3e=00?=foo@corp.example"],
  ["the beginning of an encoded word", "a=?b@corp.example"],
];

test("published attacks on address parsers are refused: the job is dead and nothing arrives", () =>
  withSmtpServer({ disabledCommands: ["STARTTLS"] }, ({ port, arrived }) =>
    withMailApp({ url: `smtp://127.0.0.1:${port}?tls=off` }, async (app) => {
      for (const [what, address] of attacks) {
        assert.equal(isAddress(address), false, what);
        users.set(what, { address });
        await app.get(Mailer).send(ResetPassword, { user_id: what });
      }
      const { failed } = await app.jobs.drain({ allowFailures: true });
      assert.deepEqual(
        failed.map(({ state, attempt }) => [state, attempt]),
        attacks.map(() => ["dead", 1]),
      );
      for (const { error } of failed)
        assert.match(error ?? "", /^UnrecoverableError: mail\/reset-password: the address is invalid: /);
      assert.deepEqual(arrived, []);
    }),
  ));

test("line breaks in a name are refused, and other names arrive as they are", () =>
  withSmtpServer({ disabledCommands: ["STARTTLS"] }, ({ port, arrived }) =>
    withMailApp({ url: `smtp://127.0.0.1:${port}?tls=off` }, async (app) => {
      const address = "ada@example.com";
      const names = [
        'Ada "x" <bob@example.com>',
        "bob@example.com, Ada",
        "Ada (comment); group:",
        "=?utf-8?Q?=0ABcc:_bob@example.com?=",
      ];
      for (const name of [
        ...names,
        "Ada\r\nBcc: bob@example.com",
        "Ada\nX: y",
        "Ada\u2028",
        "\ud800",
        "a".repeat(201),
      ]) {
        const user_id = String(users.size);
        users.set(user_id, { name, address });
        await app.get(Mailer).send(ResetPassword, { user_id });
      }
      const { failed } = await app.jobs.drain({ allowFailures: true });
      assert.equal(failed.length, 5);
      for (const { state, error } of failed)
        assert.match(`${state} ${error}`, /^dead UnrecoverableError: \S+ the name is invalid/);
      assert.deepEqual(
        arrived.map(({ to }) => to),
        names.map(() => [address]),
      );
      for (const [index, { mail, raw }] of arrived.entries()) {
        const [to] = [mail.to].flat();
        assert.deepEqual(
          to?.value.map((one) => one.address),
          [address],
        );
        assert.equal(mail.bcc, undefined, raw);
        assert.equal(mail.subject, `${names[index]}, reset your password`);
      }
      assert.equal((await app.get(Jobs).counts()).length, 2);
    }),
  ));
