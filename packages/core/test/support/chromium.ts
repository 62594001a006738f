import { accessSync, constants } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Paths of the system's Chromium. CHROMIUM overrides them. */
const places = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Undefined when there is none on this machine. */
export function findChromium(named: string | undefined = process.env.CHROMIUM): string | undefined {
  return (named ? [named] : places).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** No traffic leaves this machine, and it starts without a sandbox and without a graphics card. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    // as in users' browsers: the back button must not bring back a private page
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // one process for all pages, and none for graphics: a fifth less work
      "--disable-site-isolation-trials",
      "--renderer-process-limit=1",
      "--in-process-gpu",
    ],
  });
}

/** Waits longer for pages than Playwright's 30 seconds: machines are slow and busy. */
export function patiently<T extends { setDefaultTimeout(milliseconds: number): void }>(opened: T): T {
  opened.setDefaultTimeout(240_000);
  return opened;
}
