import { TemplateError } from "@tenon/web/platform";
import { readExcerpt, type SourceExcerpt } from "../error-text/code-frame.ts";
import { toEditorUrl } from "../error-text/editor-link.ts";
import { framesOf, isOwn, type Place, parseFrame, showPlace } from "../error-text/stack-frame.ts";

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

/** Lines before and after a place. */
const around = 6;

export function toFrames(error: Error, editor: string | undefined): ReportedFrame[] {
  const rows = framesOf(error)
    .split("\n")
    .filter((row) => row.trim() !== "");
  const frames = rows.map((row) => toFrame(row.trim(), parseFrame(row), editor));
  if (!(error instanceof TemplateError) || error.line === undefined) return frames;
  return [toFrame("", { file: error.file, line: error.line }, editor), ...frames];
}

function toFrame(
  text: string,
  place: (Place & { readonly name?: string }) | undefined,
  editor: string | undefined,
): ReportedFrame {
  const own = place !== undefined && isOwn(place.file);
  return {
    text,
    isOwn: own,
    place: place === undefined ? undefined : showPlace(place),
    name: place?.name ?? "",
    editorUrl: own ? toEditorUrl(place, editor) : undefined,
    source: own ? readExcerpt(place, around) : undefined,
  };
}
