import { type AddressInfo, connect, createServer } from "node:net";
import type { TestContext } from "node:test";
import type { HttpApp, Platform } from "@tenon/core";
import type { Introspection } from "@tenon/core/platform";
import { setVariables } from "../../../core/test/support/variables.ts";
import { openDevtools } from "../../src/open-devtools.ts";

export const developerSecret = "the-secret-of-the-developer-in-tests";
/** The header that shows who sends a request. */
export const fromDeveloper = { "x-tenon-dev": developerSecret };

/** A platform as in a process that was started for development, without a change to the environment of the other tests. */
export function inDevelopment(platform: Platform<HttpApp>): Platform<HttpApp> {
  return {
    ...platform,
    resolve() {
      const resolved = platform.resolve();
      return {
        ...resolved,
        open: (parts) => {
          const introspection: Introspection = { ...parts, platform: platform.name, instances: () => [] };
          const { routes, log } = parts;
          const graph = { nodes: [], root: undefined as never }; // no page of the tools is opened
          const built = {
            platform: platform.name,
            graph,
            constructed: [],
            injections: [],
            router: { routes: [] },
            routes,
          };
          const devtools = openDevtools({ secret: developerSecret, built, introspection, log, options: {} });
          return resolved.open({ ...parts, devtools });
        },
      };
    },
  };
}

/** Makes this process one that was started for development, until the test ends. */
export function startDevelopment(t: TestContext): void {
  setVariables(t, { TENON_DEV: "1", TENON_DEV_SECRET: developerSecret });
}

/** A port that passes bytes on to another one, as `ssh -R`, `socat` and a TCP load balancer do. */
export async function forwardTcp(t: TestContext, port: number): Promise<number> {
  const server = createServer((socket) => {
    const other = connect(port, "127.0.0.1");
    socket.pipe(other).pipe(socket);
    socket.on("error", () => other.destroy());
    other.on("error", () => socket.destroy());
  });
  t.after(() => server.close());
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port; // it listens on a port
}
