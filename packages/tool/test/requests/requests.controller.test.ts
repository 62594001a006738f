import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { runCommand } from "../support/tool.ts";

const kept = [
  {
    tenon: 1,
    id: "aaaaaaaaaa",
    kind: "request",
    at: "2026-01-02T03:04:05.678Z",
    ms: 12.345,
    method: "GET",
    target: "/items",
    status: 500,
    handler: "items.list",
    spans: [
      { kind: "handler", name: "items.list", start: 0.1, ms: 12, depth: 0, error: "RangeError: empty" },
      { kind: "sql", name: "select *\nfrom items", start: 0.5, ms: 10.5, depth: 1, rows: 1 },
      { kind: "enqueue", name: "mails/send", start: 11, ms: 0.5, depth: 1, job: 7 },
    ],
    logs: [
      { start: 12, level: "error", message: "GET /items failed", error: { stack: "RangeError: empty\n    at list" } },
    ],
  },
  {
    tenon: 1,
    id: "bbbbbbbbbb",
    kind: "job",
    at: "2026-01-02T03:04:06.000Z",
    ms: 1,
    method: "",
    target: "mails/send",
    job: { id: 7, queue: "default", attempt: 2, state: "done" },
    spans: [],
    logs: [],
  },
];

function createFolder(): string {
  const folder = temporaryFolder("requests");
  const [first, ...others] = kept;
  const lines = [...others, { tenon: 99, id: "another version", spans: [] }, { tenon: 1, id: "part", spans: [] }].map(
    (line) => JSON.stringify(line),
  );
  const cache = "node_modules/.cache/tenon";
  writeFiles(folder, {
    [`${cache}/requests.main.ts.7.jsonl`]: `${lines.join("\n")}\n{"tenon":1,"id":"cut o`,
    [`${cache}/requests.main.web.ts.8.jsonl`]: `${JSON.stringify(first)}\n`,
  });
  return folder;
}

test("tenon requests lists what was recorded, the newest last", async () => {
  const folder = createFolder();
  const { code, stdout } = await runCommand("requests", `--in=${folder}`);
  assert.equal(code, 0);
  const lines = stdout.trimEnd().split("\n");
  assert.match(lines.at(-2) ?? "", /aaaaaaaaaa\s+03:04:05\s+GET\s+\/items\s+500\s+12\.3\s+1\s+1/);
  assert.match(lines.at(-1) ?? "", /bbbbbbbbbb\s+03:04:06\s+JOB\s+mails\/send\s+done/);
  const found = await runCommand("requests", "--find=job done", "--json", `--in=${folder}`);
  assert.deepEqual(
    (JSON.parse(found.stdout) as { id: string }[]).map(({ id }) => id),
    ["bbbbbbbbbb"],
  );
  const limited = await runCommand("requests", "--limit=1", "--json", `--in=${folder}`);
  assert.equal((JSON.parse(limited.stdout) as unknown[]).length, 1);
});

test("tenon requests show prints one with its operations, log lines and errors", async () => {
  const folder = createFolder();
  const { code, stdout } = await runCommand("requests", "show", "aaaaaaaaaa", `--in=${folder}`);
  assert.equal(code, 0);
  assert.equal(
    stdout,
    `GET /items 500
2026-01-02T03:04:05.678Z, 12.35 ms, items.list

  12.00 ms  handler items.list (failed: RangeError: empty)
  10.50 ms    sql select * from items (1 row)
   0.50 ms    enqueue mails/send (job 7)
            error: GET /items failed

RangeError: empty
    at list
`,
  );
  const job = await runCommand("requests", "show", "bbbbbbbbbb", `--in=${folder}`);
  assert.match(job.stdout, /^JOB mails\/send done\n2026-01-02T03:04:06\.000Z, 1\.00 ms, job 7, attempt 2\n/);
  const json = await runCommand("requests", "show", "aaaaaaaaaa", "--json", `--in=${folder}`);
  assert.equal((JSON.parse(json.stdout) as { status: number }).status, 500);
});

test("tenon requests show sends no control characters of a request to the terminal", async () => {
  const folder = temporaryFolder("requests");
  const spans = [{ kind: "handler", name: "items.list", start: 0, ms: 1, depth: 0, error: "\u001b]0;title\u0007" }];
  const logs = [
    { start: 1, level: "error", message: "\u001b[2J", error: { stack: "Error: \u001b[31m\n    at\u009b1A list" } },
  ];
  const request = { ...kept[0], target: "/\u001b[2Jitems", spans, logs };
  writeFiles(folder, { "node_modules/.cache/tenon/requests.main.ts.7.jsonl": `${JSON.stringify(request)}\n` });
  const { stdout } = await runCommand("requests", "show", "aaaaaaaaaa", `--in=${folder}`);
  assert.doesNotMatch(stdout, /[^\P{Cc}\n]/u);
  assert.match(stdout, /^GET \/ \[2Jitems 500\n/);
  assert.match(stdout, /\n {4}at 1A list\n/);
});

test("tenon requests says what is missing", async () => {
  const folder = temporaryFolder("requests");
  const { code, stderr } = await runCommand("requests", `--in=${folder}`);
  assert.equal(code, 1);
  assert.match(stderr, /npm install --save-dev @tenon\/devtools/);
  const unknown = await runCommand("requests", "show", "nothing", `--in=${createFolder()}`);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /there is no request nothing/);
});
