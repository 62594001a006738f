import { relative } from "node:path";
import { toEditorUrl } from "./editor-link.ts";
import { framesOf, isOwn, type Place, parseFrame, readExcerpt, type SourceExcerpt } from "./source-excerpt.ts";
import { TemplateError } from "./view-engine.ts";

/** One frame of a stack, or the place in a view. */
export interface ReportedFrame {
  /** As in the stack, without its indentation. */
  readonly text: string;
  /** Whether it is in a file of the application, and not of node, the framework or an installed package. */
  readonly isOwn: boolean;
  /** `src/posts.service.ts:12:5`, relative to the current folder; undefined where the frame names no file. */
  readonly place: string | undefined;
  /** The function; "" at the top of a file. */
  readonly name: string;
  /** Opens the place in the editor. */
  readonly editorUrl: string | undefined;
  /** The lines around it, for files of the application. */
  readonly source: SourceExcerpt | undefined;
}

export function toFrames(error: Error, editor: string | undefined): ReportedFrame[] {
  const rows = framesOf(error)
    .split("\n")
    .filter((row) => row.trim() !== "");
  const frames = rows.map((row) => toFrame(row.trim(), parseFrame(row), editor));
  if (!(error instanceof TemplateError) || error.line === undefined) return frames;
  return [toFrame("", { file: error.file, line: error.line }, editor), ...frames];
}

function toFrame(text: string, place: Place | undefined, editor: string | undefined): ReportedFrame {
  const own = place !== undefined && isOwn(place.file);
  const [, name = ""] = /^at (?:async )?(?:new )?(.+) \(/.exec(text) ?? [];
  return {
    text,
    isOwn: own,
    place: place === undefined ? undefined : showPlace(place),
    name,
    editorUrl: own ? toEditorUrl(place, editor) : undefined,
    source: own ? readExcerpt(place) : undefined,
  };
}

function showPlace({ file, line, column }: Place): string {
  const path = relative(process.cwd(), file);
  return [path.startsWith("..") ? file : path, line, ...(column === undefined ? [] : [column])].join(":");
}
