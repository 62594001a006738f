// `node src/router-child.ts <name> <sizes>`: measures one router with each of these numbers of routes.
import { createRouteSet, lookUps } from "./router-routes.ts";
import { type Find, routers } from "./routers.ts";
import { median } from "./statistics.ts";

/** Nanoseconds for each look-up, by size and kind; milliseconds to build, by size. */
export interface RouterResult {
  readonly look: Record<string, Record<string, number>>;
  readonly build: Record<string, number>;
}

const timed = 10 * 32_768; // look-ups of each kind: the few of "again" are repeated as often
const sliceSize = 512;
const builds = 3;

/** In short slices, of each the best: whatever else runs on the machine can only add to it. */
function timeOf(find: Find, paths: readonly string[]): number {
  const parts = Array.from({ length: paths.length / sliceSize }, (_, index) =>
    paths.slice(index * sliceSize, (index + 1) * sliceSize),
  );
  const best = parts.map(() => Number.POSITIVE_INFINITY);
  for (let turn = 0; turn < timed / paths.length; turn++) {
    for (const [index, part] of parts.entries()) {
      const begin = performance.now();
      for (const path of part) find(path);
      best[index] = Math.min(best[index] ?? 0, performance.now() - begin);
    }
  }
  return (best.reduce((sum, time) => sum + time, 0) * 1e6) / paths.length;
}

const [, , name, ...sizes] = process.argv;
const build = await routers.find((router) => router.name === name)?.load();
if (build === undefined) throw new Error(`there is no router "${name}"`);
const result: RouterResult = { look: {}, build: {} };
for (const size of sizes.map(Number)) {
  const { patterns, look } = createRouteSet(size);
  const times: number[] = [];
  let find: Find = () => -1;
  try {
    for (let turn = 0; turn < builds; turn++) {
      const begin = performance.now();
      find = build(patterns);
      times.push(performance.now() - begin);
    }
  } catch (error) {
    console.error(`${name}, ${size} routes: ${error}`);
    continue; // a router that cannot hold these has no figure for them
  }
  result.build[size] = median(times);
  const own: Record<string, number> = {};
  for (const kind of lookUps) {
    const looked = look[kind];
    const wrong = looked.paths.findIndex((path, index) => patterns[find(path)] !== looked.patterns[index]);
    if (wrong === -1) own[kind] = timeOf(find, looked.paths);
    else
      console.error(
        `${name}, ${size} routes: ${looked.paths[wrong]} found ${patterns[find(looked.paths[wrong] ?? "")]}`,
      );
  }
  result.look[size] = own;
}
console.log(JSON.stringify(result));
