#!/usr/bin/env node
// `create-tenon shop` is `tenon new shop`. Old versions of Node must be able to parse this file, so that the tool can
// report that they are too old.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const tool = dirname(createRequire(import.meta.url).resolve("tenon/package.json"));
process.argv.splice(2, 0, "new");
import(pathToFileURL(join(tool, "bin/tenon.mjs")).href);
