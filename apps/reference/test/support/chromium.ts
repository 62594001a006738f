import { accessSync, constants } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Where the system's Chromium may be. CHROMIUM names another place. */
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

/** Nothing of it leaves this machine, and it starts where there is neither a sandbox nor a graphics card. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    // as readers have it: a page that comes back with the back button must be one that may
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
