/** Emphasis, where a terminal shows it. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
}

export function createPaint(color: boolean): Paint {
  const wrap = (code: number) => (text: string) => (color && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { bold: wrap(1), dim: wrap(2), red: wrap(31) };
}
