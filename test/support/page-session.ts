import assert from "node:assert/strict";

/** Applies a diff block, whose first line is `# file`. Lines that are not in the block may be between its lines. */
export function applyDiff(text: string, block: string): string {
  const lines = text.split("\n");
  let at = 0;
  /** Added lines with no line of the file before them: they belong before the next one. */
  let first: string[] | undefined = [];
  for (const line of block.split("\n").slice(1, -1)) {
    const [sign, content] = [line[0], line.slice(1)];
    if (sign === "+") {
      if (first === undefined) lines.splice(at++, 0, content);
      else first.push(content);
      continue;
    }
    const found = lines.indexOf(content, at);
    assert.notEqual(found, -1, `the file has a line "${content}" at this place:\n${text}`);
    lines.splice(found, 0, ...(first ?? []));
    at = found + (first?.length ?? 0);
    first = undefined;
    if (sign === "-") lines.splice(at, 1);
    else at++;
  }
  return lines.join("\n");
}

export interface Call {
  readonly command: string;
  /** What the page shows. `…` stands for any text. */
  readonly output: string;
}

/** The commands of a console block. */
export function readCalls(block: string): Call[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = "", ...output] = part.trimEnd().split("\n");
      return { command, output: output.join("\n") };
    });
}

/** Compares an output with that of the page, and returns what its first `…` stands for. */
export function matchOutput({ command, output }: Call, printed: string): string | undefined {
  if (output === "") return undefined;
  const pattern = output.split("…").map(RegExp.escape).join('([^"\\n]+)');
  const found = new RegExp(`^${pattern}$`).exec(printed.trim());
  assert.ok(found !== null, `${command} printed\n${printed}\nand not\n${output}`);
  return found[1];
}
