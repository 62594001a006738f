import { join } from "node:path";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";

/** A folder with an application whose entry points are these scripts. */
export function createApplication(files: Readonly<Record<string, string>>, scripts: object = {}): string {
  const folder = join(temporaryFolder("app"), "app");
  writeFiles(folder, { "package.json": JSON.stringify({ type: "module", scripts }), ...files });
  return folder;
}

/** A script that describes itself as core does. */
export function toDescribing(message: object): string {
  return `if (process.env.TENON_DESCRIBE !== "1") throw new Error("it was started");
process.send(${JSON.stringify({ tenon: 1, platform: "api", routes: [], modules: [], injections: [], stores: {}, guarantees: {}, ...message })}, () => process.exit(0));
setInterval(() => {}, 1000);
`;
}
