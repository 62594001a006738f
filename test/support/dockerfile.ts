import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, dirname, join, matchesGlob, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { root, runOrFail } from "./run.ts";

export interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** What a container of the image would run, in the folder of its last stage. */
export interface Image {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly command: readonly string[];
  readonly healthCheck: readonly string[] | undefined;
}

export function parseDockerfile(text: string): Instruction[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll("\\\n", " ")
    .split("\n");
  return lines
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name = "", value = ""] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      if (name === "") throw new Error(`not an instruction: ${line}`);
      return { name, value };
    });
}

/** Whether a `.dockerignore` that begins with `*` lets a path of the context through, or a folder on the way to one. */
export function isSent(ignoreFile: string, path: string): boolean {
  const [first, ...others] = ignoreFile.trim().split("\n");
  if (first !== "*") throw new Error("the first line is not *");
  const names = path.split("/");
  return others.some((line) => {
    const wanted = line.replace(/^!/, "").split("/");
    const length = Math.min(wanted.length, names.length);
    return matchesGlob(names.slice(0, length).join("/"), wanted.slice(0, length).join("/"));
  });
}

export interface BuildOptions {
  readonly dockerfile: string;
  readonly ignoreFile: string;
  readonly context: string;
  /** An empty folder. Absolute paths of a stage are below `<target>/<stage>`. */
  readonly target: string;
  /** Runs in the place of `npm ci`, in the same folder. */
  readonly install?: (folder: string) => void;
}

/** Runs the instructions of a Dockerfile without Docker. The base image is the Node of the workspace. */
export async function buildWithoutDocker({
  dockerfile,
  ignoreFile,
  context,
  target,
  install,
}: BuildOptions): Promise<Image> {
  const ignored = readFileSync(ignoreFile, "utf8");
  let stage = "";
  let folder = "";
  let user = "root";
  let env: Record<string, string> = {};
  let command: readonly string[] = [];
  let healthCheck: readonly string[] | undefined;
  const steps: Readonly<Record<string, (value: string) => void | Promise<void>>> = {
    FROM: (value) => {
      stage = join(target, / AS (\w+)$/.exec(value)?.[1] ?? "last");
      [folder, user, env] = [stage, "root", {}];
      mkdirSync(folder);
    },
    ENV: (value) => {
      Object.assign(env, Object.fromEntries(value.split(" ").map((pair) => pair.split("="))));
    },
    USER: (value) => {
      user = value;
    },
    WORKDIR: (value) => {
      folder = join(stage, value);
      mkdirSync(folder, { recursive: true });
    },
    RUN: async (value) => {
      if (install !== undefined && value.startsWith("npm ci ")) return install(folder);
      const line = value.replaceAll(/(?<=\s)\/(?=\w)/g, `${stage}/`);
      await runOrFail("sh", ["-c", line], { cwd: folder, env: { ...env, PATH: imagePath } });
    },
    COPY: (value) => {
      const words = value.split(" ");
      const from = words[0]?.startsWith("--from=") ? words.shift()?.slice("--from=".length) : undefined;
      const place = words.pop() ?? "";
      for (const word of words) {
        const source = from === undefined ? join(context, word) : join(target, from, word);
        const isWanted = (path: string) =>
          from !== undefined || path === source || isSent(ignored, relative(context, path));
        if (from === undefined && !isSent(ignored, word)) throw new Error(`${word} is not sent to the build`);
        const copy = place.endsWith("/") ? join(folder, place, basename(word)) : resolve(folder, place);
        cpSync(source, copy, { recursive: true, filter: isWanted, verbatimSymlinks: true });
      }
    },
    EXPOSE: () => {},
    VOLUME: () => {},
    HEALTHCHECK: (value) => {
      healthCheck = toWords(value.slice(value.indexOf("CMD ") + 4));
    },
    CMD: (value) => {
      command = [...command, ...toWords(value)];
    },
    ENTRYPOINT: (value) => {
      command = toWords(value);
    },
  };
  for (const { name, value } of parseDockerfile(readFileSync(dockerfile, "utf8"))) {
    const step = steps[name];
    if (step === undefined) throw new Error(`${name} is not known here`);
    await step(value);
  }
  return { folder, env, user, command, healthCheck };
}

/** Starts the command on a free port, and ends it after the work. Returns its exit code. */
export async function whileRunning(
  { folder, env, command: [program = "", ...args] }: Image,
  variables: Readonly<Record<string, string>>,
  work: (url: string, environment: Readonly<Record<string, string>>) => Promise<void>,
): Promise<number | null> {
  const port = String(await findPort());
  const environment = { ...env, ...variables, PORT: port, PATH: imagePath };
  const child = spawn(program, args, { cwd: folder, env: environment, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.includes("listening on")) continue;
      child.stdout.resume(); // later log lines would fill the pipe and block the application
      await work(`http://127.0.0.1:${port}`, environment);
      break;
    }
  } finally {
    child.kill("SIGTERM");
  }
  const [code] = (await ended) as [number | null]; // the arguments of the event
  return code;
}

/** The pinned Node, and the npm of this machine. */
const imagePath = `${join(root, "node_modules/.bin")}:${dirname(process.execPath)}:${process.env.PATH}`;

function toWords(value: string): readonly string[] {
  return JSON.parse(value) as readonly string[]; // the exec form is a JSON array of strings
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
