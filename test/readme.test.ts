import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { type Block, readBlocks, readDocuments } from "./support/markdown.ts";
import { oneChecker, root, run, tool } from "./support/run.ts";
import { temporaryFolder, writeFiles } from "./support/temporary-folder.ts";

const folder = temporaryFolder("readme");
symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
const blocks = readBlocks();
const examples = blocks.filter(({ info }) => info === "ts");

/** A block whose first line is a comment with a path is that file for the other blocks of its document. */
function fileOf(block: Block): string {
  const named = nameIn(block);
  const alone = blocks.filter((other) => other.document === block.document && nameIn(other) === named).length === 1;
  const place = block.document.replace(/\.md$/, "");
  return named !== undefined && alone ? join(place, named) : join(place, `line-${block.line}.ts`);
}

function nameIn({ code }: Block): string | undefined {
  return /^\/\/ ((?:[\w-]+\/)*[\w.-]+\.ts)\b/.exec(code)?.[1];
}

test("the TypeScript blocks of README.md, docs/ and the packages compile", async () => {
  assert.ok(
    examples.some(({ document }) => document === "README.md"),
    "README.md has an example",
  );
  const files = Object.fromEntries(examples.map((block) => [fileOf(block), `${block.code}\nexport {};\n`]));
  writeFiles(folder, {
    ...files,
    "package.json": '{ "type": "module" }',
    "tsconfig.json": JSON.stringify({
      extends: join(root, "tsconfig.base.json"),
      compilerOptions: {
        noEmit: true,
        customConditions: ["@tenon/source"],
        // an example may declare names that only its reader uses
        noUnusedLocals: false,
        noUnusedParameters: false,
      },
      files: Object.keys(files),
    }),
  });
  const { code, stdout } = await run(tool("tsc"), ["-p", ".", "--pretty", "false", ...oneChecker], { cwd: folder });
  assert.equal(code, 0, stdout);
});

test("the first block of README.md runs and responds as README.md says", async () => {
  const [example] = examples;
  assert.ok(example !== undefined);
  const onAnyPort = example.code.replace(/\.listen\((?:\{ port: \d+ \})?\)/, ".listen({ port: 0 })");
  assert.match(onAnyPort, /\.listen\(\{ port: 0 \}\)/, "the example listens");
  writeFiles(folder, { "package.json": '{ "type": "module" }', "first.ts": onAnyPort });

  const child = spawn(process.execPath, ["--conditions=@tenon/source", "first.ts"], {
    cwd: folder,
    env: { ...process.env, LOG_LEVEL: "info" },
    timeout: 240_000,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    const url = await listeningUrl(child.stdout);
    const calls = curlCalls();
    assert.ok(calls.length > 0, "README.md shows how the example is called and its response");
    for (const { path, body } of calls) assert.equal(await (await fetch(`${url}${path}`)).text(), body, path);
  } finally {
    child.kill("SIGTERM");
  }
  assert.deepEqual(await ended, [0, null], "the example stops on SIGTERM");
});

async function listeningUrl(stdout: NodeJS.ReadableStream): Promise<string> {
  const seen: string[] = [];
  for await (const line of createInterface({ input: stdout })) {
    const url = /listening on (http:\/\/[\d.:]+)/.exec(line)?.[1];
    if (url !== undefined) {
      stdout.resume(); // later log lines must not fill the pipe
      return url;
    }
    seen.push(line);
  }
  return assert.fail(`the example ended without listening:\n${seen.join("\n")}`);
}

/** Each `$ curl http://127.0.0.1:8080/path` of README.md, with the line that follows it. */
function curlCalls(): { path: string; body: string }[] {
  return blocks
    .filter(({ document, info }) => document === "README.md" && info === "console")
    .flatMap(({ code }) =>
      [...code.matchAll(/^\$ curl http:\/\/(?:127\.0\.0\.1|localhost):\d+(\/\S*)\n(.*)$/gm)].map(
        ({ 1: path = "", 2: body = "" }) => ({ path, body }),
      ),
    );
}

test("every link between the documents leads somewhere", () => {
  const lost = readDocuments().flatMap(({ document, text }) =>
    [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !existsSync(join(root, dirname(document), target)))
      .map((target) => `${document} → ${target}`),
  );
  assert.deepEqual(lost, []);
});

/** The anchors of a document, as GitHub and the site make them from its headings. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replace(/^```.*?^```$/gms, "").matchAll(/^#{1,6} (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = ""]) =>
      heading
        .trim()
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

test("every link between the documents with an anchor leads to a heading", () => {
  const documents = readDocuments();
  const anchors = new Map(documents.map(({ document, text }) => [document, anchorsOf(text)]));
  const lost = documents.flatMap(({ document, text }) =>
    [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/g)]
      .filter(([, path = "", anchor = ""]) => {
        const target = path === "" ? document : join(dirname(document), path);
        return anchors.get(target)?.has(anchor) !== true;
      })
      .map(([link]) => `${document} → ${link}`),
  );
  assert.deepEqual(lost, []);
});

test("README.md and docs/README.md link every page", () => {
  const documents = readDocuments();
  const pages = documents.map(({ document }) => document).filter((path) => /^docs\/(?!README|index)/.test(path));
  for (const list of ["README.md", "docs/README.md"]) {
    const text = documents.find(({ document }) => document === list)?.text ?? "";
    const linked = new Set([...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, target = ""]) => join(dirname(list), target)));
    assert.deepEqual(
      pages.filter((page) => !linked.has(page)),
      [],
      list,
    );
  }
});
