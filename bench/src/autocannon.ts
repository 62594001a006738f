// `node src/autocannon.ts <url> <requests.json> <seconds>`: the load where wrk is not installed.
import { readFileSync } from "node:fs";
import autocannon from "autocannon";
import { connections } from "./load.ts";
import type { BenchRequest } from "./scenarios.ts";

const [, , url = "", file = "", seconds = "1"] = process.argv;
const requests: BenchRequest[] = JSON.parse(readFileSync(file, "utf8"));
let clients = 0;
const result = await autocannon({
  url,
  connections,
  duration: Number(seconds),
  // each connection has a share of them: it prepares all its requests before it starts, and 20,000 take too long
  setupClient: (client) => {
    const turn = clients++ % connections;
    const share = requests.filter((_, index) => index % connections === turn);
    client.setRequests(share.length > 0 ? share : requests);
  },
});
console.log(
  JSON.stringify({
    requests: result["2xx"],
    seconds: result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    errors: result.errors + result.timeouts + result.non2xx,
  }),
);
