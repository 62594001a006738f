import { type AddressInfo, connect, createServer } from "node:net";
import type { TestContext } from "node:test";
import type { HttpApp, Platform } from "@tenon/core";
import { DeveloperAccess } from "../../src/boot/developer-access.ts";

export const developerSecret = "the-secret-of-the-developer-in-tests";
/** The header that shows who sends a request. */
export const fromDeveloper = { "x-tenon-dev": developerSecret };

/** A platform as in a process that was started for development, without a change to the environment of the other tests. */
export function inDevelopment(platform: Platform<HttpApp>): Platform<HttpApp> {
  return {
    ...platform,
    resolve() {
      const resolved = platform.resolve();
      const developer = new DeveloperAccess(developerSecret);
      return { ...resolved, open: (parts) => resolved.open({ ...parts, developer }) };
    },
  };
}

/** Makes this process one that was started for development, until the test ends. */
export function startDevelopment(t: TestContext): void {
  setVariables(t, { TENON_DEV: "1", TENON_DEV_SECRET: developerSecret });
}

/** By test: the variables that are restored at its end. A second hook would run after the first, and restore its value. */
const changed = new WeakMap<TestContext, Set<string>>();

/** Sets variables of this process until the test ends. */
export function setVariables(t: TestContext, variables: Readonly<Record<string, string | undefined>>): void {
  const names = changed.get(t) ?? new Set();
  changed.set(t, names);
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name];
    if (!names.has(name)) t.after(() => setVariable(name, before));
    names.add(name);
    setVariable(name, value);
  }
}

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
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
