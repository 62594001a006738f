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
  let written = 0;
  let onDisk = 0;
  let replies = 0;
  let syncs = 0;
  let early = 0;
  /** By thread: how much was written when its sync began. What another thread writes meanwhile may not be in it. */
  const syncing = new Map<string, number>();
  const onSync = (covers: number) => {
    syncs++;
    onDisk = Math.max(onDisk, covers);
  };
  for (const line of trace.split("\n")) {
    const [, resumedThread = "", resumedName = ""] = resumed.exec(line) ?? [];
    const begun = syncing.get(resumedThread);
    if (isSync(resumedName) && begun !== undefined) {
      syncing.delete(resumedThread);
      onSync(begun);
    }
    const [, thread = "", name = "", file = "", rest = ""] = call.exec(line) ?? [];
    if (file.endsWith("-wal")) {
      if (!isSync(name)) written++;
      else if (rest.includes("<unfinished")) syncing.set(thread, written);
      else if (rest.endsWith("= 0")) onSync(written);
    } else if (file.startsWith("socket:") && /"HTTP\/1\.1 2/.test(rest)) {
      replies++;
      if (onDisk < written) early++;
    }
  }
  return { replies, syncs, early };
}

function isSync(name: string): boolean {
  return name === "fsync" || name === "fdatasync";
}
