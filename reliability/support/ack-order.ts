export interface AckOrder {
  /** Replies with 2xx that left the process. */
  readonly replies: number;
  /** How often the log of the database reached the disk. */
  readonly syncs: number;
  /** Replies that left while something written to the log had not reached the disk. */
  readonly early: number;
}

const call = /^(\d+) +(\w+)\(\d+<([^>]*)>(.*)$/;
const resumed = /^(\d+) +<\.\.\. (\w+) resumed>.*= 0$/;

/** Reads what `strace -f -y` wrote about a process with an SQLite file in WAL mode. */
export function readAckOrder(trace: string): AckOrder {
  let dirty = false;
  let replies = 0;
  let syncs = 0;
  let early = 0;
  const syncing = new Set<string>();
  const onSync = () => {
    syncs++;
    dirty = false;
  };
  for (const line of trace.split("\n")) {
    const [, resumedThread = "", resumedName = ""] = resumed.exec(line) ?? [];
    if (isSync(resumedName) && syncing.delete(resumedThread)) onSync();
    const [, thread = "", name = "", file = "", rest = ""] = call.exec(line) ?? [];
    if (file.endsWith("-wal")) {
      if (!isSync(name)) dirty = true;
      else if (rest.includes("<unfinished")) syncing.add(thread);
      else if (rest.endsWith("= 0")) onSync();
    } else if (file.startsWith("socket:") && /"HTTP\/1\.1 2/.test(rest)) {
      replies++;
      if (dirty) early++;
    }
  }
  return { replies, syncs, early };
}

function isSync(name: string): boolean {
  return name === "fsync" || name === "fdatasync";
}
