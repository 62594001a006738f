import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../../test/support/run.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { AtTerminal, hasPseudoTerminal } from "./support/pseudo-terminal.ts";

const limit = { timeout: 240_000, skip: hasPseudoTerminal ? false : "there is no script of util-linux" };
const down = "\x1b[B";
const commands = [
  [process.execPath, join(root, "packages/tool/bin/tenon.mjs"), "new"],
  [process.execPath, join(root, "packages/create/bin/create-tenon.mjs")],
];

for (const command of commands) {
  const name = command.slice(1).join(" ").replace(root, "");

  test(`${name} asks at a terminal, and the arrow keys select`, limit, async () => {
    const folder = temporaryFolder("terminal");
    const program = new AtTerminal([...command, "--no-install"], folder);
    await program.press(/Name of the application\n/, "shop\r");
    await program.press(/Template\n[\s\S]*to navigate/, down);
    await program.press(/● web \(HTML pages\)/, "\r");
    assert.equal(await program.end(), 0, program.shown);
    assert.ok(existsSync(join(folder, "shop/src/main.web.ts")));
  });

  test(`${name} ends with exit code 130 and one line at Ctrl-C, and writes nothing`, limit, async () => {
    const folder = temporaryFolder("terminal");
    const program = new AtTerminal([...command, "--no-install"], folder);
    await program.press(/Name of the application\n/, "shop\r");
    await program.press(/Template\n[\s\S]*to navigate/, "\x03");
    assert.equal(await program.end(), 130, program.shown);
    assert.match(program.shown, /│\ntenon: interrupted, nothing was written\n$/);
    assert.deepEqual(readdirSync(folder), []);
  });

  test(`${name} asks nothing where CI is set`, limit, async () => {
    const folder = temporaryFolder("terminal");
    const program = new AtTerminal([...command, "--no-install"], folder, { CI: "true" });
    assert.equal(await program.end(), 2);
    assert.match(program.shown, /^tenon: --name is required\. Usage: tenon new <folder> .*\n$/);
  });
}

test("tenon g channel asks for the connections, unless a flag says which", limit, async () => {
  const folder = temporaryFolder("terminal");
  const tenon = [process.execPath, join(root, "packages/tool/bin/tenon.mjs")];
  await new AtTerminal([...tenon, "new", "shop", "--template=api", "--no-install"], folder).end();
  const shop = join(folder, "shop");
  const asked = new AtTerminal([...tenon, "g", "channel", "chat", "--no-install"], shop);
  await asked.press(/Connections\n[\s\S]*to navigate/, down);
  await asked.press(/● socket \(also a WebSocket, in both directions\)/, "\r");
  assert.equal(await asked.end(), 0, asked.shown);
  assert.match(readFileSync(join(shop, "src/chat.channel.ts"), "utf8"), /socket\(/);
  const told = new AtTerminal([...tenon, "g", "channel", "prices", "--no-socket", "--no-install"], shop);
  assert.equal(await told.end(), 0, told.shown);
  assert.doesNotMatch(readFileSync(join(shop, "src/prices.channel.ts"), "utf8"), /socket\(/);
});
