import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../core/test/support/until.ts";
import { ask, readJson, startShop } from "./support/shop.ts";

interface Form {
  readonly form: {
    readonly method: string;
    readonly target: string;
    readonly headers: string;
    readonly body: string;
    readonly secrets: readonly string[];
    readonly isRedacted: boolean;
  };
}

/** The id of the newest record, when there are at least so many. */
async function newest(port: number, count = 1): Promise<string> {
  let ids: readonly string[] = [];
  const isKept = async () => {
    const { requests } = await readJson<{ readonly requests: readonly { readonly id: string }[] }>(
      port,
      "/_dev/requests",
    );
    ids = requests.map(({ id }) => id);
    return ids.length >= count;
  };
  await until(isKept, `${count} records`);
  return ids[0] ?? "";
}

async function send(port: number, id: string, fields: Readonly<Record<string, string>>) {
  const path = `/_dev/requests/${id}/replay`;
  const { text } = await ask(port, path);
  const [, token = ""] = /name="_token" value="([^"]+)"/.exec(text) ?? [];
  return ask(port, path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ _token: token, ...fields }).toString(),
  });
}

async function readStatus(port: number, location: unknown) {
  const { request } = await readJson<{
    readonly request: {
      readonly status: number;
      readonly replayOf: string;
      readonly response: { readonly body: { readonly text: string } };
    };
  }>(port, String(location));
  return request;
}

test("a request is sent again as it was, and recorded as a repetition", async (t) => {
  const { port } = await startShop(t);
  const body = '{"text":"hello"}';
  await ask(port, "/notes", { method: "POST", headers: { "content-type": "application/json" }, body });
  const id = await newest(port);
  const { form } = await readJson<Form>(port, `/_dev/requests/${id}/replay`);
  assert.deepEqual(
    [form.method, form.target, form.body, form.secrets, form.isRedacted],
    ["POST", "/notes", body, [], false],
  );
  const { status, headers } = await send(port, id, {
    method: form.method,
    target: form.target,
    headers: form.headers,
    body: form.body,
  });
  assert.equal(status, 303);
  const replayed = await readStatus(port, headers.location);
  assert.deepEqual([replayed.status, replayed.replayOf, replayed.response.body.text], [201, id, body]);
});

test("a repetition asks for new credentials, and sends those", async (t) => {
  const { port } = await startShop(t);
  await ask(port, "/private", { headers: { authorization: "Bearer letmein" } });
  const id = await newest(port);
  const { form } = await readJson<Form>(port, `/_dev/requests/${id}/replay`);
  assert.deepEqual(form.secrets, ["authorization"]);
  assert.doesNotMatch(form.headers, /authorization/);
  const page = await ask(port, `/_dev/requests/${id}`);
  assert.doesNotMatch(page.text, />Replay</, "no button that would send a request without its credentials");
  const fields = { method: form.method, target: form.target, headers: form.headers, body: form.body };
  const without = await send(port, id, fields);
  assert.equal((await readStatus(port, without.headers.location)).status, 401);
  const fresh = await send(port, id, { ...fields, "secret:authorization": "Bearer letmein" });
  assert.equal((await readStatus(port, fresh.headers.location)).status, 200);
});

test("an edited request is sent as edited", async (t) => {
  const { port } = await startShop(t);
  await ask(port, "/items");
  const { headers } = await send(port, await newest(port), {
    method: "POST",
    target: "/notes?from=form",
    headers: "Content-Type: application/json\r\nX-Own: 1\r\n",
    body: '{"text":"edited"}',
  });
  const replayed = await readStatus(port, headers.location);
  assert.deepEqual([replayed.status, replayed.response.body.text], [201, '{"text":"edited"}']);
});

test("a path that only begins like the one of the developer tools can be sent again", async (t) => {
  const { port } = await startShop(t);
  await ask(port, "/_devices");
  const fields = { method: "GET", target: "/_devices", headers: "", body: "" };
  const { status, headers } = await send(port, await newest(port), fields);
  assert.equal(status, 303);
  assert.equal((await readStatus(port, headers.location)).status, 404);
});

test("what no server would accept, or was redacted, is refused", async (t) => {
  const { port } = await startShop(t);
  await ask(port, "/items");
  const id = await newest(port);
  const good = { method: "GET", target: "/items", headers: "", body: "" };
  for (const [problem, fields] of Object.entries({
    method: { ...good, method: "GET /" },
    target: { ...good, target: "http://other.example/" },
    space: { ...good, target: "/a b" },
    header: { ...good, headers: "no header" },
    injection: { ...good, "secret:x\r\ny": "1" },
    redacted: { ...good, body: '{"password":"[redacted]"}' },
    "itself, with a query": { ...good, target: "/_dev?x=1" },
    itself: { ...good, target: "/_dev/requests" },
  })) {
    assert.equal((await send(port, id, fields)).status, 400, problem);
  }
});
