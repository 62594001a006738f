// The server under load, in a process of its own: it tells how long its event loop was held up.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { startReferenceApp } from "./reference-app.ts";

const cost = Number(process.argv[2]);
const { url, stop } = await startReferenceApp({ bcryptCost: cost });
const delay = monitorEventLoopDelay({ resolution: 1 });

process.on("message", (message) => {
  if (message === "begin") {
    delay.reset();
    delay.enable();
  }
  if (message === "report") {
    delay.disable();
    process.send?.({ p50: delay.percentile(50) / 1e6, p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 });
  }
});
process.on("disconnect", async () => {
  await stop();
  process.exit(0);
});
process.send?.({ url });
