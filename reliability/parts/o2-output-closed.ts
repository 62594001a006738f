import { Pipe } from "../../packages/core/test/support/pipe.ts";
import type { Part } from "../part.ts";
import { type Output, runWithBrokenOutput } from "../support/output-load.ts";

export const part: Part = {
  id: "O2",
  title: "standard output is a pipe whose reader goes away, under load",
  bar: "0 wrong responses; a post gets 201 exactly when its row exists; exit 0 within 3 s of SIGTERM; dropped lines reported to the next reader",
  needs: [],
  run: (options) => runWithBrokenOutput(openPipe, options),
};

function openPipe(folder: string): Output {
  const pipe = new Pipe(folder);
  return {
    how: "a named pipe",
    stdout: pipe.fd,
    break: () => pipe.closeReader(),
    repair: () => pipe.openReader(),
    read: () => pipe.read(),
    close: () => pipe.close(),
  };
}
