// Tenon with a kernel that does not ask whether there are subscribers: what the check costs. It is taken out of the
// source as it is loaded, so that all other code is the same.
import { registerHooks } from "node:module";

const checks = [/\w+Tracing\.hasSubscribers \|\| \w+Tracing\.hasSubscribers/, /!\w+Tracing\.hasSubscribers/] as const;
let removed = 0;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!/\/core\/(?:src|dist)\/request\/kernel\.[jt]s$/.test(url)) return loaded;
    let source = String(loaded.source);
    for (const [index, check] of checks.entries()) {
      if (check.test(source)) removed++;
      source = source.replace(check, index === 0 ? "false" : "true");
    }
    return { ...loaded, source };
  },
});
await import("./tenon.ts");
if (removed !== checks.length) throw new Error("the kernel has no such checks: adapt peers/tenon-unobserved.ts");
