// 50 clients log in without a pause at cost 14 while 10 others read GET /posts. Exit code 1 when a reader waits longer
// than 100 ms (99th percentile), when an excess login gets anything but 503 with Retry-After, or none was in excess.
import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { register } from "./support/reference-app.ts";
import { milliseconds, percentile } from "./support/statistics.ts";

const seconds = 15;
const cost = 14;
const loginClients = 50;
const readers = 10;
const posts = 50;
const maxRead = 100;
const maxDelay = 50;
const maxRefusal = 100;
const maxLogin = 10_000;

interface Reply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly time: number;
}

const user = { email: "known@example.com", password: "the right password", name: "Known" };
const agent = new Agent({ keepAlive: true });

function call(method: string, url: string, body = "", token = ""): Promise<Reply & { readonly text: string }> {
  const start = performance.now();
  const headers = { "content-type": "application/json", ...(token === "" ? {} : { authorization: `Bearer ${token}` }) };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", reject).on("end", () => {
        const retryAfter = response.headers["retry-after"];
        resolve({ status: response.statusCode ?? 0, retryAfter, time: performance.now() - start, text });
      });
    });
    outgoing.on("error", reject).end(body);
  });
}

const server = fork(fileURLToPath(new URL("./support/overload-server.ts", import.meta.url)), [String(cost)], {
  execArgv: ["--conditions=@tenon/source"],
  stdio: ["ignore", "inherit", "inherit", "ipc"],
});
const [{ url }] = (await once(server, "message")) as [{ url: string }]; // its first message
const token = await register(url, user);
for (let count = 0; count < posts; count++) {
  const created = await call(
    "POST",
    `${url}/posts`,
    JSON.stringify({ title: `Post ${count}`, content: "text" }),
    token,
  );
  const { id } = JSON.parse(created.text) as { id: string }; // a Post
  await call("PATCH", `${url}/posts/${id}`, JSON.stringify({ published: true }), token);
}
for (let count = 0; count < 500; count++) await call("GET", `${url}/posts`);

console.log(`${loginClients} clients log in at cost ${cost} and ${readers} read /posts, for ${seconds} s`);
server.send("begin");
const end = performance.now() + 1000 * seconds;
let broken = 0;
async function repeat(into: Reply[], once: () => Promise<Reply>): Promise<void> {
  while (performance.now() < end) {
    try {
      const { status, retryAfter, time } = await once();
      into.push({ status, retryAfter, time });
    } catch {
      broken++;
    }
  }
}
const logins: Reply[] = [];
const reads: Reply[] = [];
const progress = setInterval(() => console.log(`  ${reads.length} reads, ${logins.length} logins`), 5000);
await Promise.all([
  ...Array.from({ length: loginClients }, (_, index) => {
    const password = index % 2 === 0 ? user.password : "the wrong password";
    return repeat(logins, () => call("POST", `${url}/auth/login`, JSON.stringify({ email: user.email, password })));
  }),
  ...Array.from({ length: readers }, () => repeat(reads, () => call("GET", `${url}/posts`))),
]);
clearInterval(progress);
server.send("report");
const [delay] = (await once(server, "message")) as [{ p50: number; p99: number; max: number }]; // its answer
server.disconnect();
agent.destroy();

const of = (status: number) => logins.filter((reply) => reply.status === status);
const refused = of(503);
const readTimes = reads.map(({ time }) => time);
const checked = logins.filter(({ status }) => status === 200 || status === 401).map(({ time }) => time);
const refusals = refused.map(({ time }) => time);
console.log(
  `GET /posts: ${reads.length} replies, p50 ${milliseconds(percentile(readTimes, 0.5))}, p99 ${milliseconds(percentile(readTimes, 0.99))}`,
);
console.log(
  `event loop delay: p50 ${milliseconds(delay.p50)}, p99 ${milliseconds(delay.p99)}, longest ${milliseconds(delay.max)}`,
);
console.log(
  `logins: ${of(200).length} × 200, ${of(401).length} × 401, ${refused.length} × 503; slowest of the first two ${milliseconds(Math.max(...checked))}`,
);
console.log(`503: p50 ${milliseconds(percentile(refusals, 0.5))}, p99 ${milliseconds(percentile(refusals, 0.99))}`);

const bars: readonly (readonly [string, boolean])[] = [
  [
    `GET /posts p99 at most ${maxRead} ms, all of them 200`,
    percentile(readTimes, 0.99) <= maxRead && reads.every(({ status }) => status === 200),
  ],
  [`event loop delay p99 at most ${maxDelay} ms`, delay.p99 <= maxDelay],
  [
    "the excess gets 503 with Retry-After, and nothing else",
    refused.length > 0 &&
      checked.length + refused.length === logins.length &&
      refused.every(({ retryAfter }) => /^[1-9]\d*$/.test(retryAfter ?? "")),
  ],
  [`503 within ${maxRefusal} ms (p99)`, percentile(refusals, 0.99) <= maxRefusal],
  [`no login over ${maxLogin / 1000} s`, Math.max(...checked) <= maxLogin],
  ["no connection was cut", broken === 0],
];
for (const [name, met] of bars) console.log(`${met ? "met   " : "MISSED"} ${name}`);
process.exitCode = bars.every(([, met]) => met) ? 0 : 1;
