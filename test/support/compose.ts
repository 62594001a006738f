import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { buildWithoutDocker, type Image } from "./dockerfile.ts";
import { root } from "./run.ts";

interface Service {
  readonly build?: string;
  readonly command?: readonly string[];
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
}

export interface BuiltService {
  readonly image: Image;
  readonly env: Readonly<Record<string, string>>;
  /** The port on the host. */
  readonly port: string;
}

/** The services of a `compose.yaml` that are built and listen, with their variables. `.env` gives the values of `${NAME}`. */
export async function buildServices(folder: string, target: string): Promise<BuiltService[]> {
  const text = readFileSync(join(folder, "compose.yaml"), "utf8");
  const { services } = parse(text, { merge: true }) as { services: Readonly<Record<string, Service>> }; // Docker refuses others
  const given = readEnvFile(join(folder, ".env"));
  const interpolate = (value: string | number) =>
    String(value).replaceAll(
      /\$\{(\w+)(?::-([^}]*))?\}/g,
      (_, name: string, otherwise = "") => given[name] ?? otherwise,
    );
  const image = await buildWithoutDocker({
    dockerfile: join(folder, "Dockerfile"),
    ignoreFile: join(folder, ".dockerignore"),
    context: folder,
    target,
    // those of the workspace, which are not published yet
    install: (stage) => symlinkSync(join(root, "node_modules"), join(stage, "node_modules")),
  });
  return Object.values(services)
    .filter(({ build, ports }) => build !== undefined && ports !== undefined)
    .map(({ command = image.command, ports: [port = ""] = [], environment = {} }) => ({
      image: { ...image, command },
      env: Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, interpolate(value)])),
      port: port.split(":").at(-2) ?? "",
    }));
}

function readEnvFile(file: string): Readonly<Record<string, string>> {
  const lines = readFileSync(file, "utf8").matchAll(/^(\w+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value]));
}
