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
  "Slow clients and streams": "S1 S2 S3 S4",
  "Start, stop and long runs": "L1 L2 L3 L4 L5 L6",
  "Several instances and clocks": "M1 C1 V1",
  "The tool and new users": "G1 N1",
  "Background jobs": "BG1 BG2 BG3 BG4 BG5 BG6 BG7 BG8 BG9",
  "Event streams and WebSockets": "LV1 LV2 LV3 LV4 LV5 LV6",
  "Shared caches": "X1",
  "Gates on the code": "Q1 E1",
};

export const planned = Object.values(areas).flatMap((ids) => ids.split(" "));

const folder = new URL("./parts/", import.meta.url);

/** Every file of parts/ exports one as `part`. In the order of the plan. */
export async function loadParts(): Promise<readonly Part[]> {
  const files = globSync("*.ts", { cwd: fileURLToPath(folder) });
  const modules = await Promise.all(
    files.map((file) => import(new URL(file, folder).href) as Promise<{ readonly part: Part }>), // see above
  );
  return modules.map(({ part }) => part).toSorted((a, b) => planned.indexOf(a.id) - planned.indexOf(b.id));
}
