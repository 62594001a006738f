// `node src/live/publish-process.ts <database url>`: writers that publish at a fixed rate, whether or not `publish()` keeps up.
import { setTimeout as sleep } from "node:timers/promises";
import { api, createApp, defineModule } from "@tenon/core";
import { dataModule } from "@tenon/data";
import { Channels, liveModule } from "@tenon/live";

export interface PublishCommand {
  readonly writers: number;
  /** Events of this process in a second. */
  readonly rate: number;
  readonly seconds: number;
}

export interface Publishing {
  /** Seconds since the begin at which an event was due, and milliseconds from then until `publish()` had ended. */
  readonly samples: readonly (readonly [at: number, took: number])[];
  /** Seconds until the last `publish()` had ended. */
  readonly time: number;
  /** Events that the subscribers of this process have got. */
  readonly received: number;
}

const topics = 4;
const [, , database = ""] = process.argv;
const data = dataModule({ database });
const module = defineModule({ name: "bench", imports: [data, liveModule(data)] });
const app = await createApp(module, api(), { log: { level: "fatal" } });
await app.start();
const channels = app.get(Channels);
let received = 0;
for (let topic = 0; topic < topics; topic++) {
  await channels.subscribe(`topic ${topic}`, () => {
    received++;
  });
}

async function publish({ writers, rate, seconds }: PublishCommand): Promise<Publishing> {
  received = 0;
  const begun = performance.now();
  const samples: [number, number][] = [];
  const writer = async (number: number) => {
    const running: Promise<void>[] = [];
    const interval = (1000 * writers) / rate;
    for (let due = (number * interval) / writers; due < seconds * 1000; due += interval) {
      const early = begun + due - performance.now();
      if (early > 0) await sleep(early);
      const stored = channels.publish(`topic ${number % topics}`, "added", { number, due });
      running.push(stored.then(() => void samples.push([due / 1000, performance.now() - begun - due])));
    }
    await Promise.all(running);
  };
  await Promise.all(Array.from({ length: writers }, (_, number) => writer(number)));
  const time = (performance.now() - begun) / 1000;
  await sleep(3000); // what other processes have published last
  return { samples, time, received };
}

process.on("message", (command: PublishCommand) => void publish(command).then((result) => process.send?.(result)));
process.on("disconnect", () => process.exit(0));
process.once("SIGUSR2", () => process.exit(0));
process.send?.("ready");
