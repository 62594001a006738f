export interface AckOrder {
  /** Responses with 2xx that the process has sent. */
  readonly replies: number;
  /** Syncs of the database log to the disk. */
  readonly syncs: number;
  /** Responses sent before everything written to the log was on the disk. */
  readonly early: number;
}

const call = /^(\d+) +(\w+)\(\d+<([^>]*)>(.*)$/;
const resumed = /^(\d+) +<\.\.\. (\w+) resumed>.*= 0$/;

/** Parses the output of `strace -f -y` for a process with an SQLite file in WAL mode. */
export function readAckOrder(trace: string): AckOrder {
  let written = 0;
  let onDisk = 0;
  let replies = 0;
  let syncs = 0;
  let early = 0;
  /** By thread: how much was written when its sync began. Later writes of other threads may not be included. */
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
