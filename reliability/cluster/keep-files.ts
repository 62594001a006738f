import { once } from "node:events";
import { cpSync } from "node:fs";

/** Keeps the history, the logs and the settings of a failed run. Returns where. */
export function keepFiles(folder: string): string {
  const kept = `${folder}-failed`;
  cpSync(folder, kept, { recursive: true, filter: (path) => !/[/]pg\d$/.test(path) });
  return kept;
}

/** Runs until it ends or the runner cuts it at its time limit. When it is cut or throws, the error says where its files are. */
export async function keepFilesOnError<T>(folder: string, run: Promise<T>): Promise<T> {
  const cut = once(process, "SIGTERM").then(() => Promise.reject(new Error("cut at its time limit")));
  try {
    return await Promise.race([run, cut]);
  } catch (error) {
    throw new Error(`history and logs: ${keepFiles(folder)}`, { cause: error });
  }
}
