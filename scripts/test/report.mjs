// The output of scripts/test.mjs: a line for each group or test while they run, then every failure again, the tests that
// were left out, and one total in the format of node:test.
import { relative, resolve } from "node:path";
import { styleText } from "node:util";

const passed = styleText("green", "✔");
const failed = styleText("red", "✖");
const countNames = ["tests", "suites", "passed", "failed", "cancelled", "skipped", "todo"];
const indent = (text) => text.replace(/^(?=.)/gm, "  ");

function toPlace({ file, line, column }) {
  if (file === undefined) return "";
  return line === undefined ? relative("", file) : `${relative("", file)}:${line}:${column}`;
}

/** The tests of one process. */
export class Group {
  /** As node:test counts them, once all have ended. */
  counts;
  failures = 0;
  /** By file. */
  coverage;
  /** Messages of node:test that belong to no test. */
  notes = [];
  #lastBegun;
  #running = new Map();
  #path = [];
  #broken = new Map();
  #empty = [];
  #lines = [];
  #output = [];
  #hasLeftOut = false;
  /** Tests that were skipped without a reason. */
  #skipped = [];
  #unfinished = "";
  #started = performance.now();
  #report;

  constructor(title, files, report) {
    this.title = title;
    this.files = files;
    this.#report = report;
  }

  take(event) {
    const handlers = {
      begin: () => (this.#lastBegun = event),
      dequeue: () => this.#running.set(`${event.file}:${event.testId}`, event),
      complete: () => this.#running.delete(`${event.file}:${event.testId}`),
      start: () => this.#start(event),
      pass: () => this.#pass(event),
      fail: () => this.#fail(event),
      broken: () => this.#broken.set(event.file, event.reason),
      text: () => this.say(event.text),
      note: () => this.notes.push(event.text),
      coverage: () => (this.coverage = event.files),
      summary: () => (this.counts = event.counts),
    };
    handlers[event.type]();
  }

  /** What its tests print. */
  say(text) {
    const lines = `${this.#unfinished}${text}`.split("\n");
    this.#unfinished = lines.pop();
    for (const line of lines) {
      if (line.startsWith("left out: ")) this.#leaveOut(line);
      else if (this.#report.isVerbose) this.#report.print(line);
      else this.#output.push(line);
    }
  }

  /** A failure outside of all tests, which counts as one. */
  fail(reason, details = []) {
    this.#report.totals.tests++;
    this.#report.totals.failed++;
    this.#addFailure(`${failed} ${this.title}: ${reason}`, details.join("\n"));
  }

  /** The last test that started, for a process that hangs or has crashed. */
  get position() {
    const running = [...this.#running.values()].map((event) => `running: ${toPlace(event)} ${event.name}`);
    if (this.#lastBegun === undefined) return [...running, ...this.files];
    return [`the last test that began: ${toPlace(this.#lastBegun)} ${this.#lastBegun.name}`, ...running];
  }

  close() {
    if (this.#unfinished !== "") this.say("\n");
    for (const [file, reason] of this.#broken) this.fail(`${relative("", file)} cannot be imported`, [reason]);
    // a line that the tests have printed says it for all of them: what this machine does not have
    if (!this.#hasLeftOut) for (const name of this.#skipped) this.#leaveOut(`left out: ${name}`);
    if (this.#empty.length > 0 && !this.#hasLeftOut) this.fail("no tests", this.#empty);
    for (const name of countNames) this.#report.totals[name] += this.counts?.[name] ?? 0;
    this.#report.totals.tests -= this.#empty.length;
    this.#report.totals.passed -= this.#empty.length;
    if (this.failures > 0 && this.#output.length > 0) {
      this.#report.addFailure(`${this.title} printed at last:`, this.#output.slice(-40).join("\n"));
    }
    if (this.#report.isVerbose) return;
    const seconds = ((performance.now() - this.#started) / 1000).toFixed(0);
    const mark = this.failures > 0 ? failed : passed;
    this.#report.print(`${mark} ${this.title}: ${this.counts?.tests ?? 0} tests, ${seconds} s`);
  }

  #addFailure(title, details) {
    this.failures++;
    this.#report.addFailure(title, details);
  }

  #start({ name, nesting }) {
    const parent = this.#path[nesting - 1];
    if (nesting > 0 && !parent.isShown) {
      parent.isShown = true;
      this.#lines.push(`${"  ".repeat(nesting - 1)}▶ ${parent.name}`);
    }
    this.#path.length = nesting;
    this.#path.push({ name, isShown: false });
  }

  #end({ name, nesting, ms }, mark, note) {
    this.#lines.push(`${"  ".repeat(nesting)}${mark} ${name} (${ms.toFixed(1)}ms)${note}`);
    if (nesting > 0) return;
    // a test and its parts together, because other processes print too
    if (this.#report.isVerbose) this.#report.print(this.#lines.join("\n"));
    this.#lines = [];
  }

  #pass(event) {
    const { name, skip } = event;
    // node:test counts a file without tests as a test that passed
    if (this.#isFile(name)) {
      this.#empty.push(relative("", name));
      return;
    }
    this.#end(event, passed, skip === undefined ? "" : " # SKIP");
    if (typeof skip === "string") this.#leaveOut(`left out: ${name} (${skip})`);
    else if (skip !== undefined) this.#skipped.push(name);
  }

  #fail(event) {
    this.#end(event, failed, event.isTodo ? " # TODO" : "");
    if (event.reason === undefined || event.isTodo) return;
    if (this.#isFile(event.name)) this.#broken.delete(resolve(event.name)); // it says so itself
    const path = this.#path.slice(0, event.nesting).map(({ name }) => name);
    const title = `${failed} ${[...path, event.name].join(" › ")}`;
    if (!this.#report.isVerbose) this.#report.print(`${title} ${toPlace(event)}`);
    this.#addFailure(`${toPlace(event)}\n${title}`, event.reason);
  }

  #isFile(name) {
    return this.files.some((file) => resolve(file) === resolve(name));
  }

  #leaveOut(line) {
    this.#hasLeftOut = true;
    this.#report.leaveOut(line);
  }
}

export class Report {
  totals = Object.fromEntries(countNames.map((name) => [name, 0]));
  /** A table. */
  coverage = "";
  #failures = [];
  #leftOut = new Set();
  #started = performance.now();

  /** Verbose: a line for each test and all output of the tests, instead of a line for each group. */
  constructor(isVerbose) {
    this.isVerbose = isVerbose;
  }

  get hasFailed() {
    return this.#failures.length > 0;
  }

  print(text) {
    process.stdout.write(`${text}\n`);
  }

  addFailure(title, details) {
    this.#failures.push(details === "" ? title : `${title}\n${indent(details)}`);
  }

  leaveOut(line) {
    this.#leftOut.add(line);
  }

  close() {
    const { tests, suites, passed: pass, failed: fail, cancelled, skipped, todo } = this.totals;
    const duration_ms = (performance.now() - this.#started).toFixed(0);
    const totals = Object.entries({ tests, suites, pass, fail, cancelled, skipped, todo, duration_ms });
    const parts = [
      this.coverage,
      this.hasFailed ? `${failed} failing tests:\n\n${this.#failures.join("\n\n")}` : "",
      [...this.#leftOut].join("\n"),
      totals.map(([name, count]) => `ℹ ${name} ${count}`).join("\n"),
    ];
    for (const part of parts.filter((text) => text !== "")) this.print(`\n${part}`);
  }
}
