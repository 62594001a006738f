import assert from "node:assert/strict";
import { after, test } from "node:test";
import { api, defineModule } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { createTestStores } from "@tenon/data/testing";
import { Jobs, jobsModule } from "@tenon/jobs";
import { withJobs } from "@tenon/jobs/testing";
{%= importAll([
  { name: "DataModule", path: "../src/data.module.ts" },
  { name: "SampleItemsJob, SampleItemsJobs", path: "../src/sample-items/sample-items.jobs.ts" },
]) %}
const JobsModule = jobsModule(DataModule);
const TestModule = defineModule({ name: "test", imports: [JobsModule], declarations: [SampleItemsJobs] });
/** New for this run: in memory, or on the servers of TEST_STORES. */
const stores = await createTestStores(process.env.TEST_STORES);
const app = withJobs(await createTestApp(TestModule, api(), { config: stores.config }));
after(() => stores.stop(app));

test("sample-items/run is enqueued and runs", async () => {
  await app.get(Jobs).enqueue(SampleItemsJob, { name: "Ada" });
  assert.equal((await app.jobs.pending(SampleItemsJob)).length, 1);
  const { done } = await app.jobs.drain();
  assert.deepEqual(
    done.map(({ result }) => result),
    [{ name: "Ada" }],
  );
});
