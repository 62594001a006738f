// Does the time of a failed login tell whether its e-mail is known? 200 + 200 logins in turn, at cost 10, then again
// with a password of 73 bytes. Exit code 1 when the medians differ by more than 5 %, three times in a row: a busy
// machine makes a gap once, a leak each time.
import { login, register, startReferenceApp } from "./support/reference-app.ts";
import { areaUnderCurve, median, milliseconds } from "./support/statistics.ts";

const rounds = 200;
const warmUp = 10;
const maxGap = 0.05;
const attempts = 3;

const known = "known@example.com";
const { url, stop } = await startReferenceApp({ bcryptCost: 10 });
async function timeOf(email: string, password: string): Promise<number> {
  const start = performance.now();
  const response = await login(url, email, password);
  await response.text();
  if (response.status !== 401) throw new Error(`a failed login was answered with ${response.status}`);
  return performance.now() - start;
}

async function measure(name: string, password: string): Promise<boolean> {
  const times = { unknown: [] as number[], wrong: [] as number[] };
  for (let round = -warmUp; round < rounds; round++) {
    // in turn, and in changing order: what slows the machine down slows both
    const kinds = round % 2 === 0 ? (["unknown", "wrong"] as const) : (["wrong", "unknown"] as const);
    for (const kind of kinds) {
      const time = await timeOf(kind === "wrong" ? known : `unknown${round}@example.com`, password);
      if (round >= 0) times[kind].push(time);
    }
    if (round >= 0 && (round + 1) % 50 === 0) console.log(`  ${name}: ${round + 1} of ${rounds}`);
  }
  const [unknown, wrong] = [median(times.unknown), median(times.wrong)];
  const gap = Math.abs(unknown - wrong) / wrong;
  const area = areaUnderCurve(times.unknown, times.wrong);
  console.log(`${name}`);
  console.log(`  unknown e-mail ${milliseconds(unknown)}, wrong password ${milliseconds(wrong)} (medians)`);
  console.log(`  gap ${(100 * gap).toFixed(2)} % (at most ${100 * maxGap} %), AUC ${area.toFixed(3)} (0.5 is a coin)`);
  return gap <= maxGap;
}

async function meets(name: string, password: string): Promise<boolean> {
  for (let attempt = 0; attempt < attempts; attempt++) if (await measure(name, password)) return true;
  return false;
}

try {
  await register(url, { email: known, password: "the right password", name: "Known" });
  const met =
    (await meets("a password of 8 bytes", "password")) && (await meets("a password of 73 bytes", "p".repeat(73)));
  console.log(met ? "met" : "MISSED");
  process.exitCode = met ? 0 : 1;
} finally {
  await stop();
}
