import { type Context, dto, type Infer, type Routes, string } from "@tenon/core";
import { defineJob, job } from "@tenon/jobs";

/** To add one: `inject(Jobs).enqueue(SampleItemsJob, { name: "…" })`. */
export const SampleItemsJob = defineJob("sample-items/run", {
  summary: "Run sample items",
  input: dto({ name: string("required") }),
});

export class SampleItemsJobs {
  routes(): Routes {
    return [job(SampleItemsJob, this.run)];
  }

  run(ctx: Context, { name }: Infer<typeof SampleItemsJob.input>) {
    ctx.log.info(`sample items: ${name}`);
    return { name };
  }
}
