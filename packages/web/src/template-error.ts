/** A view that could not be rendered, with the place in its file. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
  readonly file: string;
  /** Undefined when the place is not known. */
  readonly line: number | undefined;

  constructor(file: string, line: number | undefined, reason: string, cause?: unknown) {
    super(`${file}${line === undefined ? "" : `:${line}`}: ${reason}`, cause === undefined ? undefined : { cause });
    this.file = file;
    this.line = line;
  }
}
