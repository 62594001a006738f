import assert from "node:assert/strict";
import { test } from "node:test";
import { redactQuery } from "../../src/record/redact-query.ts";

test("secret parameters of a query are replaced, whatever they contain", () => {
  assert.equal(
    redactQuery("/a?pass%77ord=x&b=1#access_token=y"),
    "/a?pass%77ord=[redacted]&b=1#access_token=[redacted]",
  );
  assert.equal(redactQuery("/a?%E0%A4%A=1"), "/a?%E0%A4%A=1");
  assert.equal(redactQuery("/a?next=%2Fverify%3Fa%3D1%26token%3Dx&b=1"), "/a?next=[redacted]&b=1");
  assert.equal(redactQuery("/a?next=%2Fa%3Fnext%3D%252Fb%253Fcode%253Dx"), "/a?next=[redacted]");
  assert.equal(redactQuery("/a?next=%2Fposts%3Fpage%3D2"), "/a?next=%2Fposts%3Fpage%3D2");
  assert.equal(
    redactQuery("/login?code=123456&state=1&country_code=de"),
    "/login?code=[redacted]&state=1&country_code=de",
  );
  assert.equal(redactQuery("/a?token=one;hunter2?&b=1;token=two"), "/a?token=[redacted]&b=1;token=[redacted]");
  assert.equal(redactQuery("/a;token=hunter2?b=1"), "/a;token=[redacted]");
  assert.equal(redactQuery("/a?pass%77ord%=hunter2"), "/a?pass%77ord%=[redacted]");
});
