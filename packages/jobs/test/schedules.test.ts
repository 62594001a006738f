import assert from "node:assert/strict";
import { test } from "node:test";
import { api, Clock, dto, inject, type Routes, StartError, string } from "@tenon/core";
import { createTestApp, FakeClock, useClock } from "@tenon/core/testing";
import { Database, sql } from "@tenon/data";
import { defineJob, job, type Schedule, Schedules, schedule } from "@tenon/jobs";
import { withJobs } from "@tenon/jobs/testing";
import { LogLines } from "../../core/test/support/log-lines.ts";
import { until } from "../../core/test/support/until.ts";
import { createJobsModule, databases, type JobsApp, withJobsApp } from "./support/jobs-app.ts";

const Purge = defineJob("sessions/purge");
const postgres = databases.find(({ name }) => name === "PostgreSQL");

class PurgeJobs {
  routes(): Routes {
    return [job(Purge, this.purge)];
  }

  purge() {}
}

/** The ticks from a time on, in UTC. */
function ticks({ nextAfter }: Schedule, start: string, count: number): string[] {
  const found: string[] = [];
  let time: number | undefined = Date.parse(start) - 1;
  while (found.length < count && time !== undefined) {
    time = nextAfter(time);
    if (time !== undefined) found.push(new Date(time).toISOString());
  }
  return found;
}

test("a pattern is in UTC unless a time zone is given", () => {
  assert.deepEqual(ticks(schedule("0 3 * * *", Purge), "2026-01-01T00:00:00Z", 2), [
    "2026-01-01T03:00:00.000Z",
    "2026-01-02T03:00:00.000Z",
  ]);
  assert.deepEqual(ticks(schedule("0 3 * * *", Purge, { timezone: "Europe/Berlin" }), "2026-01-01T00:00:00Z", 1), [
    "2026-01-01T02:00:00.000Z",
  ]);
});

test("a daily tick stays at its local hour when daylight saving time begins and ends", () => {
  const daily = schedule("0 3 * * *", Purge, { timezone: "Europe/Berlin" });
  assert.deepEqual(ticks(daily, "2026-03-28T00:00:00Z", 3), [
    "2026-03-28T02:00:00.000Z",
    "2026-03-29T01:00:00.000Z",
    "2026-03-30T01:00:00.000Z",
  ]);
  assert.deepEqual(ticks(daily, "2026-10-24T00:00:00Z", 3), [
    "2026-10-24T01:00:00.000Z",
    "2026-10-25T02:00:00.000Z",
    "2026-10-26T02:00:00.000Z",
  ]);
});

test("a tick at a local time that is skipped comes once, at the next hour", () => {
  const daily = schedule("30 2 * * *", Purge, { timezone: "Europe/Berlin" });
  const found = ticks(daily, "2026-03-28T00:00:00Z", 3);
  assert.equal(found[0], "2026-03-28T01:30:00.000Z");
  assert.equal(found.filter((tick) => tick.startsWith("2026-03-29")).length, 1);
  assert.equal(found[2], "2026-03-30T00:30:00.000Z");
});

test("a tick at a local time that occurs twice comes once", () => {
  const daily = schedule("30 2 * * *", Purge, { timezone: "Europe/Berlin" });
  const found = ticks(daily, "2026-10-24T22:00:00Z", 2);
  assert.equal(found.filter((tick) => tick.startsWith("2026-10-25")).length, 1);
  assert.match(found[1] ?? "", /^2026-10-26/);
});

test("an hourly schedule has every hour of the day on which clocks change", () => {
  const hourly = schedule("0 * * * *", Purge, { timezone: "America/New_York" });
  const found = ticks(hourly, "2026-11-01T04:00:00Z", 4);
  assert.deepEqual(found, [
    "2026-11-01T04:00:00.000Z",
    "2026-11-01T05:00:00.000Z",
    "2026-11-01T06:00:00.000Z",
    "2026-11-01T07:00:00.000Z",
  ]);
});

test("a period has ticks at its multiples", () => {
  assert.deepEqual(ticks(schedule("every 15m", Purge), "2026-01-01T00:01:00Z", 2), [
    "2026-01-01T00:15:00.000Z",
    "2026-01-01T00:30:00.000Z",
  ]);
});

for (const [pattern, options, message] of [
  ["0 3 * *", {}, /cannot be read/],
  ["every soon", {}, /cannot be read: the period is "soon"/],
  ["0 3 * * *", { timezone: "Mars/Olympus" }, /cannot be read/],
  ["0 0 30 2 *", {}, /cannot be read: it never ticks/],
  ["0 3 * * *", { zone: "UTC" }, /has no option zone/],
] as const) {
  test(`schedule(${pattern}, ${JSON.stringify(options)}) stops the start`, () => {
    assert.throws(() => schedule(pattern, Purge, options as object), { name: "StartError", message });
  });
}

test("two schedules with one name, and an invalid input, stop the start", async () => {
  const Needy = defineJob("test/needy", { input: dto({ text: string("required") }) });
  const module = createJobsModule("sqlite::memory:", {
    declarations: [PurgeJobs],
    schedules: [
      schedule("every 1h", Purge),
      schedule("every 2h", Purge),
      schedule("every 1h", Needy, { input: {} as never }),
    ],
  });
  await assert.rejects(createTestApp(module, api(), { background: true }), (error: unknown) => {
    assert.ok(error instanceof StartError);
    assert.match(error.message, /Two schedules are named "sessions\/purge"/);
    assert.match(error.message, /The input of schedule\("every 1h", "test\/needy"\) is invalid/);
    return true;
  });
});

for (const database of databases) {
  test(`${database.name}: each tick is enqueued once, whichever instance is first`, () =>
    database.with(async (url) => {
      const clock = new FakeClock("2026-01-01T00:00:30Z");
      const create = async () => {
        const module = createJobsModule(url, { declarations: [PurgeJobs], schedules: [schedule("every 1m", Purge)] });
        return withJobs(await createTestApp(module, api(), { override: [useClock(clock)] }));
      };
      const apps = [await create(), await create(), await create()];
      try {
        for (const app of apps) await app.jobs.drain(); // makes the schedule known
        const ran: number[] = [];
        for (let tick = 0; tick < 5; tick++) {
          clock.advance("1m");
          const reports = await Promise.all(apps.map((app) => app.jobs.drain()));
          ran.push(reports.reduce((sum, { done }) => sum + done.length, 0));
        }
        assert.deepEqual(ran, [1, 1, 1, 1, 1]);
      } finally {
        for (const app of apps) await app.stop();
      }
    }));

  for (const isRestarted of [false, true]) {
    const name = isRestarted ? "after a restart" : "while the process runs";
    test(`${database.name}: a schedule ticks again when a clock that was ahead is set right ${name}`, () =>
      database.with(async (url) => {
        const clock = new FakeClock("2026-01-01T00:00:30Z");
        const log = new LogLines();
        const options = { declarations: [PurgeJobs], schedules: [schedule("every 1m", Purge)] };
        const overrides = { override: [useClock(clock)], log: log.options };
        const beAhead = async (app: JobsApp) => {
          await app.jobs.drain();
          clock.advance("1h");
          await app.jobs.drain();
          clock.set("2026-01-01T00:00:35Z");
        };
        const tick = async (app: JobsApp) => {
          assert.equal((await app.jobs.drain()).done.length, 0);
          clock.advance("1m");
          assert.equal((await app.jobs.drain()).done.length, 1);
          assert.deepEqual(log.messages("warn"), [
            'schedule "sessions/purge" begins again: its last tick was 59 min ahead of the clock, which has been set back',
          ]);
        };
        await withJobsApp(
          url,
          options,
          async (app) => {
            await beAhead(app);
            if (!isRestarted) await tick(app);
          },
          overrides,
        );
        if (isRestarted) await withJobsApp(url, options, tick, overrides);
      }));
  }

  test(`${database.name}: a clock that is set back by less than a minute repeats no tick`, () =>
    database.with((url) => {
      const clock = new FakeClock("2026-01-01T00:00:30Z");
      const options = { declarations: [PurgeJobs], schedules: [schedule("every 1m", Purge)] };
      const body = async (app: JobsApp) => {
        await app.jobs.drain();
        clock.set("2026-01-01T00:01:01Z");
        assert.equal((await app.jobs.drain()).done.length, 1);
        clock.set("2026-01-01T00:00:30Z");
        assert.equal((await app.jobs.drain()).done.length, 0);
        clock.set("2026-01-01T00:01:02Z");
        assert.equal((await app.jobs.drain()).done.length, 0);
      };
      return withJobsApp(url, options, body, { override: [useClock(clock)] });
    }));

  for (const [missed, count] of [
    ["once", 3],
    ["skip", 2],
  ] as const) {
    test(`${database.name}: ticks of the last minute run beside older ones that are missed "${missed}"`, () => {
      const clock = new FakeClock("2026-01-01T00:00:10Z");
      const options = { declarations: [PurgeJobs], schedules: [schedule("every 30s", Purge, { missed })] };
      const body = async (app: JobsApp) => {
        await app.jobs.drain();
        clock.set("2026-01-01T05:00:10Z");
        assert.equal((await app.jobs.drain()).done.length, count);
      };
      return database.with((url) => withJobsApp(url, options, body, { override: [useClock(clock)] }));
    });
  }

  for (const [missed, count] of [
    ["once", 1],
    ["skip", 0],
  ] as const) {
    test(`${database.name}: ticks that were missed for hours are run ${missed === "once" ? "once" : "not at all"}`, () => {
      const clock = new FakeClock("2026-01-01T00:30:00Z");
      const schedules = [schedule("0 * * * *", Purge, { missed })];
      return database.with((url) =>
        withJobsApp(
          url,
          { declarations: [PurgeJobs], schedules },
          async (app) => {
            await app.jobs.drain();
            clock.advance("5h");
            assert.equal((await app.jobs.drain()).done.length, count);
            clock.advance("30m");
            assert.equal((await app.jobs.drain()).done.length, 1);
          },
          { override: [useClock(clock)] },
        ),
      );
    });
  }
}

test("PostgreSQL: the clock of the server decides when a tick is due", { skip: postgres === undefined }, () => {
  class FastClock extends Clock {
    override now(): number {
      return Date.now() + 12 * 3_600_000;
    }
  }
  return postgres?.with((url) =>
    withJobsApp(
      url,
      { declarations: [PurgeJobs], schedules: [schedule("every 1s", Purge)] },
      async (app) => {
        const db = app.get(Database);
        await app.jobs.drain();
        const { rows: before } = await sql<{ tick: number }>`update tenon_job_schedules
          set last_tick = last_tick / 1000 * 1000 - 5000 returning last_tick as tick`.execute(db);
        let ticks = 0;
        const isDue = async () => {
          ticks = (await app.jobs.drain()).done.length;
          return ticks > 0;
        };
        await until(isDue, "tick that is due");
        const { rows: after } = await sql<{ tick: number; ahead: boolean }>`select last_tick as tick,
          last_tick > extract(epoch from clock_timestamp()) * 1000 as ahead from tenon_job_schedules`.execute(db);
        const [first, last] = [before[0]?.tick ?? 0, after[0]];
        assert.deepEqual(last, { tick: first + 1000 * ticks, ahead: false });
        assert.ok(ticks >= 5, `${ticks} ticks`);
      },
      { override: [useClock(new FastClock())] },
    ),
  );
});

test("a module adds schedules of its own", async () => {
  class Owner {
    constructor() {
      inject(Schedules).add(schedule("every 1h", Purge));
    }
  }
  const clock = new FakeClock();
  await withJobsApp(
    "sqlite::memory:",
    { declarations: [PurgeJobs, Owner] },
    async (app) => {
      await app.jobs.drain();
      clock.advance("1h");
      assert.equal((await app.jobs.drain()).done.length, 1);
      assert.deepEqual(
        app.get(Schedules).all.map(({ name }) => name),
        ["sessions/purge"],
      );
    },
    { override: [useClock(clock)] },
  );
});
