import { readExcerpt, type SourceExcerpt } from "../error-text/code-frame.ts";
import { toEditorUrl } from "../error-text/editor-link.ts";
import { isOwn, type Place, parseFrame, showPlace } from "../error-text/stack-frame.ts";
import type { LooseError } from "../record/record-buffer.ts";
import type { Recorded, RecordedError } from "../record/recorded.ts";

export interface ErrorPlace {
  /** `src/posts.service.ts:12:5`, relative to the current folder. */
  readonly text: string;
  /** Opens it in the editor. */
  readonly editorUrl?: string;
  readonly source?: SourceExcerpt;
}

/** An error that occurred in several requests, or several times. */
export interface ErrorGroup {
  readonly type: string;
  readonly message: string;
  readonly count: number;
  /** The last one, in ISO format. */
  readonly lastAt: string;
  /** The first place in a file of the application. */
  readonly place?: ErrorPlace;
  readonly stack: string;
  /** The requests and jobs, the newest first. */
  readonly records: readonly { readonly id: string; readonly method: string; readonly target: string }[];
}

interface Occurrence {
  readonly error: RecordedError;
  readonly at: string;
  readonly record: Recorded | undefined;
}

const mostRecords = 10;
/** Lines before and after a place. */
const around = 6;

/** Groups errors by their type and by the place that threw them; those without a place by their message. */
export function groupErrors(
  records: readonly Recorded[],
  loose: readonly LooseError[],
  editor: string | undefined,
): ErrorGroup[] {
  const occurrences: Occurrence[] = [
    ...records.flatMap((record) =>
      record.logs.flatMap(({ error }) => (error === undefined ? [] : { error, at: record.at, record })),
    ),
    ...loose.map((error) => ({ error, at: error.at, record: undefined })),
  ].sort((one, other) => other.at.localeCompare(one.at));
  const groups = Map.groupBy(occurrences, ({ error }) => {
    const frame = findFrame(error);
    return JSON.stringify([error.type, frame === undefined ? error.message : `${frame.file}:${frame.line}`]);
  });
  return [...groups.values()].map((list) => toGroup(list, editor));
}

function toGroup(list: readonly Occurrence[], editor: string | undefined): ErrorGroup {
  const [{ error, at }] = list as readonly [Occurrence]; // a group has at least one
  const frame = findFrame(error);
  const place = frame === undefined ? undefined : toPlace(frame, editor);
  const found = new Set(list.flatMap(({ record }) => record ?? []));
  return {
    type: error.type,
    message: error.message,
    count: list.length,
    lastAt: at,
    ...(place === undefined ? {} : { place }),
    stack: error.stack,
    records: [...found].slice(0, mostRecords).map(({ id, method, target }) => ({ id, method, target })),
  };
}

function findFrame({ frames = "" }: RecordedError): Place | undefined {
  return frames
    .split("\n")
    .map(parseFrame)
    .find((frame) => frame !== undefined && isOwn(frame.file));
}

function toPlace(frame: Place, editor: string | undefined): ErrorPlace {
  const editorUrl = toEditorUrl(frame, editor);
  const source = readExcerpt(frame, around);
  return {
    text: showPlace(frame),
    ...(editorUrl === undefined ? {} : { editorUrl }),
    ...(source === undefined ? {} : { source }),
  };
}
