// `node src/autocannon.ts <url> <requests.json> <seconds>`: the load where wrk is not installed.
import { readFileSync } from "node:fs";
import autocannon from "autocannon";
import { connections } from "./load.ts";

const [, , url = "", file = "", seconds = "1"] = process.argv;
const result = await autocannon({
  url,
  connections,
  duration: Number(seconds),
  requests: JSON.parse(readFileSync(file, "utf8")),
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
