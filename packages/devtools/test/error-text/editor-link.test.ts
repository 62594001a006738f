import assert from "node:assert/strict";
import { test } from "node:test";
import { toEditorUrl } from "../../src/error-text/editor-link.ts";

const place = { file: "/srv/my blog/a#b.ts", line: 3, column: 7 };

test("the link opens Visual Studio Code by default", () => {
  assert.equal(toEditorUrl(place), "vscode://file/srv/my%20blog/a%23b.ts:3:7");
  assert.equal(toEditorUrl({ file: "C:\\src\\a.ts", line: 3 }), "vscode://file/C:/src/a.ts:3:1");
});

test("another editor is named by its scheme or its URL, and none has no link", () => {
  assert.equal(toEditorUrl(place, "zed"), "zed://file/srv/my%20blog/a%23b.ts:3:7");
  assert.equal(
    toEditorUrl(place, "idea://open?file={file}&line={line}"),
    "idea://open?file=/srv/my%20blog/a%23b.ts&line=3",
  );
  for (const editor of ["none", "javascript:alert('{file}')", "not a scheme"]) {
    assert.equal(toEditorUrl(place, editor), undefined, editor);
  }
});
