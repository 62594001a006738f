import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../../packages/data/test/support/ports.ts";
import { root, runOrFail } from "../../test/support/run.ts";

const home = fileURLToPath(new URL("../registry/", import.meta.url));
const patience = 60_000;

/** Whether npm has installed the registry since its lock file has changed. */
function isInstalled(): boolean {
  const changed = (file: string) => statSync(join(home, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return changed("node_modules/.package-lock.json") > changed("package-lock.json");
}

/** An npm registry on this machine. It has the packages of the workspace, and passes other requests to npm's registry. */
export class OwnRegistry {
  readonly #folder: string;
  readonly #port: number;
  #server: ChildProcess | undefined;
  #said = "";

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Installs the registry from its own lock file, and starts it. Its packages are stored in the folder. */
  static async make(folder: string): Promise<OwnRegistry> {
    if (!isInstalled()) await runOrFail("npm", ["ci", "--no-audit", "--no-fund"], { cwd: home, timeout: 240_000 });
    const upstream = (await runOrFail("npm", ["config", "get", "registry"])).trim();
    const own = new OwnRegistry(folder, await freePort());
    await own.#start(upstream);
    return own;
  }

  /** Builds, packs and checks the packages of the workspace, and publishes them here. */
  publish(): Promise<string> {
    return runOrFail(process.execPath, ["scripts/release.mjs", `--rehearse=${this.url}`], {
      cwd: root,
      env: { [`npm_config_${this.url.replace("http:", "")}:_authToken`]: "none-is-checked" },
      timeout: 240_000,
    });
  }

  /** The environment of a user of this registry whose machine has only one Node, and no npm script around it. */
  environment(node: string = process.execPath): Readonly<Record<string, string>> {
    const own = Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || /^(?:npm_|node_|tenon_|init_cwd|log_level)/i.test(name) ? [] : [[name, value]],
    );
    const path = (process.env.PATH ?? "").split(":").filter((folder) => !folder.includes("node_modules"));
    return {
      ...Object.fromEntries(own),
      PATH: [dirname(node), ...path].join(":"),
      npm_config_registry: this.url,
      npm_config_cache: join(this.#folder, "npm-cache"),
      npm_config_yes: "true", // npm create would ask at a terminal before it installs create-tenon
    };
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null) return;
    const exit = once(server, "exit");
    server.kill("SIGTERM");
    await exit;
  }

  async #start(upstream: string): Promise<void> {
    mkdirSync(this.#folder, { recursive: true });
    const open = { access: "$all", publish: "$all" };
    const config = {
      storage: join(this.#folder, "storage"),
      auth: { htpasswd: { file: join(this.#folder, "users") } },
      uplinks: { upstream: { url: upstream, timeout: "60s", maxage: "1h" } },
      packages: { "@tenon/*": open, tenon: open, "create-tenon": open, "**": { access: "$all", proxy: "upstream" } },
      max_body_size: "50mb",
      log: { type: "stdout", format: "pretty", level: "warn" },
    };
    const file = join(this.#folder, "config.yaml"); // JSON is YAML
    writeFileSync(file, JSON.stringify(config));
    const program = join(home, "node_modules/verdaccio/bin/verdaccio");
    const server = spawn(process.execPath, [program, "--config", file, "--listen", `127.0.0.1:${this.#port}`], {
      cwd: this.#folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#server = server;
    for (const stream of [server.stdout, server.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#said = (this.#said + text).slice(-4000);
      });
    }
    const deadline = performance.now() + patience;
    while (!(await this.#responds())) {
      if (server.exitCode !== null || performance.now() > deadline)
        throw new Error(`the registry does not start: ${this.#said}`);
      await sleep(50);
    }
  }

  async #responds(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}-/ping`)).ok;
    } catch {
      return false; // it does not listen yet
    }
  }
}
