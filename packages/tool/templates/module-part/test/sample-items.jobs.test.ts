import assert from "node:assert/strict";
import { after, test } from "node:test";
import { api, defineModule } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { dataModule } from "@tenon/data";
import { Jobs, jobsModule } from "@tenon/jobs";
import { withJobs } from "@tenon/jobs/testing";
import { SampleItemsJob, SampleItemsJobs } from "../src/sample-items/sample-items.jobs.ts";

const data = dataModule({ database: "sqlite::memory:" });
const TestModule = defineModule({ name: "test", imports: [data, jobsModule(data)], declarations: [SampleItemsJobs] });
const app = withJobs(await createTestApp(TestModule, api()));
after(() => app.stop());

test("sample-items/run is enqueued and runs", async () => {
  await app.get(Jobs).enqueue(SampleItemsJob, { name: "Ada" });
  assert.equal((await app.jobs.pending(SampleItemsJob)).length, 1);
  const { done } = await app.jobs.drain();
  assert.deepEqual(
    done.map(({ result }) => result),
    [{ name: "Ada" }],
  );
});
