import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FaultProxy } from "../../packages/data/test/support/fault-proxy.ts";
import { freePort } from "../../packages/data/test/support/ports.ts";
import { accepts } from "./service.ts";

/** Something in front of a service, on the same machine. */
export interface FrontProxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** Each starts in front of a port, with its files in a folder. */
export const proxies: Readonly<Record<string, (target: number, folder: string) => Promise<FrontProxy>>> = {
  nginx: startNginx,
  HAProxy: startHaproxy,
  "TCP forwarder": startForwarder,
};

/** With a bare `proxy_pass`, and a cache that keeps every response that does not forbid it for a minute. */
async function startNginx(target: number, folder: string): Promise<FrontProxy> {
  const port = await freePort();
  const home = join(folder, `nginx-${port}`);
  mkdirSync(home);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const text = `
${process.getuid?.() === 0 ? "user root;" : ""}
daemon off;
worker_processes 1;
pid ${home}/pid;
error_log ${home}/error.log;
events { worker_connections 256; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${home}/${name};`).join(" ")}
  proxy_cache_path ${home}/cache keys_zone=shared:1m;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${target};
      proxy_cache shared;
      proxy_cache_valid any 1m;
      add_header X-Cache $upstream_cache_status always;
    }
  }
}
`;
  const file = join(home, "nginx.conf");
  writeFileSync(file, text);
  const child = spawn("nginx", ["-p", home, "-e", join(home, "error.log"), "-c", file], { stdio: "ignore" });
  return whenReady(child, port);
}

/** The same with the cache of HAProxy, which needs a lifetime: it is added where the service names none. */
async function startHaproxy(target: number, folder: string): Promise<FrontProxy> {
  const port = await freePort();
  const text = `
global
  maxconn 256
cache shared
  total-max-size 4
  max-object-size 200000
  max-age 60
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend front
  bind 127.0.0.1:${port}
  http-request cache-use shared
  http-response set-header Cache-Control max-age=60 unless { res.hdr(cache-control) -m found }
  http-response cache-store shared
  default_backend service
backend service
  server one 127.0.0.1:${target}
`;
  const file = join(folder, `haproxy-${port}.cfg`);
  writeFileSync(file, text);
  return whenReady(spawn("haproxy", ["-db", "-f", file], { stdio: "ignore" }), port);
}

async function startForwarder(target: number): Promise<FrontProxy> {
  const proxy = new FaultProxy({ host: "127.0.0.1", port: target });
  await proxy.start();
  return { url: `http://127.0.0.1:${proxy.port}`, stop: () => proxy.stop() };
}

async function whenReady(child: ChildProcess, port: number): Promise<FrontProxy> {
  const ended = once(child, "exit");
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await ended;
  };
  for (let wait = 0; wait < 1000; wait++) {
    if (await accepts(port)) return { url: `http://127.0.0.1:${port}`, stop };
    if (child.exitCode !== null) break;
    await sleep(10);
  }
  await stop();
  throw new Error(`${child.spawnfile} does not listen on ${port}`);
}
