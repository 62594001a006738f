import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Part } from "./part.ts";

/** The parts of the plan in its order, by what they test. */
export const areas = {
  "HTTP on the wire": "W1 W2 W3 W4",
  Routing: "P1 P2 P3",
  "Hostile bodies and text": "F1 F2",
  "Tokens and timing": "J1 T1 T2",
  "Races between instances": "R1 R2 R3",
  "Crashes and outages of stores": "D1 D2 D3 D4 D5 D6 D7",
  "Log output that cannot be written": "O1 O2 O3",
  "Slow clients, streams and overload": "S1 S2 S3 S4 S5",
  "Start, stop and long runs": "L1 L2 L3 L4 L5 L6",
  "Several instances and clocks": "M1 C1 V1",
  "A pooler before PostgreSQL": "PB1",
  "The tool and new users": "G1 N1",
  "Background jobs": "BG1 BG2 BG3 BG4 BG5 BG6 BG7 BG8 BG9",
  "Growth of tables": "GR1",
  "Event streams and WebSockets": "LV1 LV2 LV3 LV4 LV5 LV6",
  "A cluster under faults": "CL1 CL2 CL3 CL4 CL5 CL6",
  "Shared caches": "X1",
  "Access control": "AC1",
  "Gates on the code": "Q1 E1",
};

export const planned = Object.values(areas).flatMap((ids) => ids.split(" "));

type PartFile = { readonly part: Part } | { readonly parts: readonly Part[] };

const folder = new URL("./parts/", import.meta.url);

/** Every file of parts/ exports one as `part`, or several that share a run as `parts`. */
async function load(pattern: string): Promise<readonly Part[]> {
  const files = globSync(pattern, { cwd: fileURLToPath(folder) });
  const modules = await Promise.all(
    files.map((file) => import(new URL(file, folder).href) as Promise<PartFile>), // see above
  );
  return modules.flatMap((file) => ("parts" in file ? file.parts : [file.part]));
}

/** In the order of the plan. */
export async function loadParts(): Promise<readonly Part[]> {
  return (await load("*.ts")).toSorted((a, b) => planned.indexOf(a.id) - planned.indexOf(b.id));
}

/**
 * Loads the file of one part, which begins with its id, or with the letters of the ids of several parts: all files and
 * what they import would take longer than most parts in their short form.
 */
export async function loadPart(id: string): Promise<Part> {
  const name = id.toLowerCase();
  const parts = await load(`{${name},${name.replace(/\d+$/, "")}}-*.ts`);
  return parts.find((part) => part.id === id) ?? Promise.reject(new Error(`there is no part ${id}`));
}
