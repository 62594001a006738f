import assert from "node:assert/strict";
import { testOnBothDoors } from "../support/doors.ts";

testOnBothDoors(
  "a plain value is answered as JSON",
  [{ method: "GET", path: "/", handler: () => ({ a: 1 }) }],
  async (call) => {
    const res = await call("GET", "/");
    assert.equal(res.status, 200);
    assert.deepEqual(await res.json(), { a: 1 });
  },
);
