import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Part } from "./part.ts";

/** The plan's lines, in its order. */
export const planned = (
  "W1 W2 W3 W4 P1 P2 P3 F1 F2 J1 T1 T2 R1 R2 R3 D1 D2 D3 D4 D5 D6 D7 O1 O2 O3 S1 S2 L1 L2 L3 L4 L5 M1 C1 V1 G1 N1 BG1 BG2 BG3 BG4 BG5 BG6 BG7 BG8 BG9 LV1 LV2 LV3 LV4 LV5 LV6 Q1" as const
).split(" ");

const folder = new URL("./parts/", import.meta.url);

/** Every file of parts/ exports one as `part`. In the order of the plan; other parts come last. */
export async function loadParts(): Promise<readonly Part[]> {
  const files = globSync("*.ts", { cwd: fileURLToPath(folder) });
  const modules = await Promise.all(
    files.map((file) => import(new URL(file, folder).href) as Promise<{ readonly part: Part }>), // see above
  );
  const place = ({ id }: Part) => (planned.includes(id) ? planned.indexOf(id) : planned.length);
  return modules.map(({ part }) => part).toSorted((a, b) => place(a) - place(b));
}
