import { execFile } from "node:child_process";
import { arch, release } from "node:os";
import { promisify } from "node:util";
import { inject } from "@tenon/core";
import { readManifest } from "../files.ts";
import { type ApplicationPlace, Applications } from "../run/applications.ts";
import { findPackage, listEntryPoints } from "../run/entry-point.ts";
import { readOrigin } from "../scaffold/origin.ts";

/** What a bug report needs. It contains no variables of the environment and no passwords. */
export interface InformationReport {
  readonly tenon: string;
  readonly node: string;
  readonly npm: string;
  readonly platform: string;
  /** Undefined outside an application. */
  readonly application?: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly entryPoints: readonly string[];
  readonly stores: Readonly<Record<string, string>>;
  /** What the stores guarantee. */
  readonly guarantees: Readonly<Record<string, string>>;
  /** Why the stores are unknown. */
  readonly note?: string;
}

/** Reads what is installed. It never fails: a broken application is what most reports are about. */
export class Information {
  readonly #applications = inject(Applications);

  async read(place: ApplicationPlace): Promise<InformationReport> {
    const { folder } = place;
    const { version, checkout } = readOrigin();
    const manifest = readManifest(folder);
    const [npm, stores] = await Promise.all([readNpmVersion(place.signal), this.#readStores(place, manifest)]);
    return {
      tenon: checkout === undefined ? version : `${version} (checkout)`,
      node: process.versions.node,
      npm,
      platform: `${process.platform} ${arch()} ${release()}`,
      ...(manifest === undefined ? {} : { application: String(manifest.name ?? "(no name)") }),
      packages: manifest === undefined ? {} : readPackages(folder, manifest),
      entryPoints: manifest === undefined ? [] : listEntryPoints(folder),
      ...stores,
    };
  }

  async #readStores(
    place: ApplicationPlace,
    manifest: object | undefined,
  ): Promise<Pick<InformationReport, "stores" | "guarantees" | "note">> {
    if (manifest === undefined) return { stores: {}, guarantees: {}, note: "the folder is not an application" };
    try {
      const { stores, guarantees } = await this.#applications.describe(place);
      return { stores, guarantees };
    } catch (error) {
      place.signal.throwIfAborted(); // the user has interrupted the command
      return { stores: {}, guarantees: {}, note: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** The packages of the framework and those that decide how the application runs. */
function readPackages(folder: string, manifest: { readonly [name: string]: unknown }): Record<string, string> {
  const names = Object.keys({ ...Object(manifest.dependencies), ...Object(manifest.devDependencies) });
  const shown = names.filter((name) => /^(?:@tenon\/.+|tenon|node|typescript)$/.test(name)).sort();
  return Object.fromEntries(
    shown.map((name) => {
      const found = findPackage(folder, name);
      return [name, found === undefined ? "not installed" : String(readManifest(found)?.version)];
    }),
  );
}

async function readNpmVersion(signal: AbortSignal): Promise<string> {
  const shell = process.platform === "win32"; // npm is a script on Windows
  const npm = promisify(execFile)("npm", ["--version"], { signal, shell, timeout: 10_000 });
  const { stdout } = await npm.catch(() => ({ stdout: "not found" }));
  signal.throwIfAborted();
  return stdout.trim();
}

export function toInformationText(report: InformationReport): string {
  const { tenon, node, npm, platform, application = "none", packages, entryPoints, stores, guarantees, note } = report;
  const rows = [
    ["tenon", tenon],
    ["node", node],
    ["npm", npm],
    ["platform", platform],
    ["application", application],
    ...Object.entries(packages)
      .filter(([name]) => name !== "tenon" && name !== "node")
      .map(([name, version]) => [name, version]),
    ["entry points", entryPoints.join(", ") || "none"],
    ...Object.entries(stores),
    ...Object.entries(guarantees).map(([name, text]) => [`${name} guarantees`, text]),
    ...(note === undefined ? [] : [["note", note]]),
  ];
  const width = Math.max(...rows.map(([title = ""]) => title.length));
  return rows.map(([title = "", value = ""]) => `${title.padEnd(width)}  ${value}\n`).join("");
}
