import { join } from "node:path";
import { toClientFile } from "../../packages/tool/src/client/client-file.ts";
import { parseDocument } from "../../packages/tool/src/client/document.ts";
import { createCalls, createDocument } from "./client-document.ts";
import type { Options } from "./options.ts";
import { inTurn } from "./order.ts";
import { createFolder } from "./prepare.ts";
import { Progress } from "./progress.ts";
import { type Spread, spreadOf } from "./statistics.ts";
import { toTable } from "./table.ts";
import { compile, writeProject } from "./tsc.ts";

/** With 0 routes there is no client: the time that tsc takes for its libraries. */
const sizes = [0, 100, 1000];
/** Seconds that the client of 1,000 routes and its calls may add. */
const mostSeconds = 1;

export interface ClientResult {
  readonly routes: number;
  /** Seconds of tsc. */
  readonly time: Spread;
  /** Seconds of processor time, of all its threads; not a number where the system does not tell. */
  readonly processor: Spread;
  readonly instantiations: number;
  /** Bytes of the client. */
  readonly size: number;
}

interface Project {
  readonly routes: number;
  readonly folder: string;
  readonly size: number;
}

/** The time of tsc with and without a typed client, and a call of each of its routes. */
export function measureClients({ rounds }: Pick<Options, "rounds">): ClientResult[] {
  const folder = createFolder();
  const projects = sizes.map((routes) => createProject(join(folder, String(routes)), routes));
  const samples = new Map(
    projects.map((project) => [project, { times: [] as number[], processor: [] as number[], instantiations: 0 }]),
  );
  const progress = new Progress(rounds * projects.length);
  for (let round = 0; round < rounds; round++) {
    for (const project of inTurn(projects, round)) {
      progress.show("tsc", `round ${round + 1}, ${project.routes} routes`);
      const { time, processor, instantiations } = compile(project.folder);
      const sample = samples.get(project);
      sample?.times.push(time);
      sample?.processor.push(processor);
      if (sample !== undefined) sample.instantiations = instantiations;
      progress.step();
    }
  }
  progress.end();
  return [...samples].map(([{ routes, size }, { times, processor, instantiations }]) => {
    return { routes, size, time: spreadOf(times), processor: spreadOf(processor), instantiations };
  });
}

function createProject(folder: string, routes: number): Project {
  if (routes === 0) {
    writeProject(folder, { "main.ts": "export const nothing = await fetch(new Request(''));\n" }); // loads the same types
    return { routes, folder, size: 0 };
  }
  const client = toClientFile(parseDocument(JSON.stringify(createDocument(routes)), "the document"));
  writeProject(folder, { "client.ts": client, "main.ts": createCalls(routes) });
  return { routes, folder, size: client.length };
}

export function toClientTable(results: readonly ClientResult[]): string {
  const rows = results.map(({ routes, time, processor, instantiations, size }) => [
    routes === 0 ? "without a client" : `${routes} routes, ${routes} calls`,
    time.median.toFixed(2),
    `${time.low.toFixed(2)}–${time.high.toFixed(2)}`,
    processor.median.toFixed(2),
    instantiations,
    Math.round(size / 1024),
  ]);
  const table = toTable(["", "tsc s", "spread", "processor s", "instantiations", "client kB"], rows);
  const { added, grown } = compare(results);
  return `${table}\n\n1,000 routes add ${added.toFixed(2)} s (at most ${mostSeconds}) and ${grown} instantiations over 100 routes (none)`;
}

export function isMissed(results: readonly ClientResult[]): boolean {
  const { added, grown } = compare(results);
  return added > mostSeconds || grown > 0;
}

/**
 * The lowest times, because other load on the machine only adds to them. On a machine that is not idle the processor time
 * is the better figure: tsc cannot take longer than that on an idle one.
 */
function compare(results: readonly ClientResult[]): { added: number; grown: number } {
  const [none, some, many] = results;
  if (none === undefined || some === undefined || many === undefined) throw new Error("a size was not measured");
  const elapsed = many.time.low - none.time.low;
  const processor = many.processor.low - none.processor.low;
  const added = Number.isNaN(processor) ? elapsed : Math.min(elapsed, processor);
  return { added, grown: many.instantiations - some.instantiations };
}
