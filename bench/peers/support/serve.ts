/** The scenarios of one peer: each opens its server on the port of 127.0.0.1 that it is given. */
export type Peer = Readonly<Partial<Record<ScenarioName | ExtraName, (port: number) => unknown>>>;

/** Those of `bench -- connections`, `compress` and `overload`, which only some peers have. */
export type ExtraName = "idle" | "work" | "compressed-few" | "compressed-list" | "precompressed" | "overload";

export const scenarioNames = ["json", "params", "body", "middlewares", "list", "routes", "bearer", "posts"] as const;
export type ScenarioName = (typeof scenarioNames)[number];

/** `node peers/fastify.ts json 20001`: runs one scenario, so that no server loads what another one needs. */
export async function serve(peer: Peer): Promise<void> {
  const [name = "", port = ""] = process.argv.slice(2);
  const open = peer[name as ScenarioName]; // undefined for an unknown name, which is reported
  if (open === undefined) throw new Error(`this peer has no scenario "${name}"`);
  process.once("SIGUSR2", () => process.exit(0)); // by an exit of its own, because only then a CPU profile is written
  await open(Number(port));
}
