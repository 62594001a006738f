import { fileURLToPath } from "node:url";

// Runs test files of @hono/node-server against the adapter. The folder of its sources is the working directory.
const adapter = fileURLToPath(new URL("./adapter.ts", import.meta.url));

// biome-ignore lint/style/noDefaultExport: vitest reads it
export default {
  root: process.cwd(),
  resolve: { alias: [{ find: /^\.\.\/src\/(server|listener)$/, replacement: adapter }] },
  test: {
    include: [
      "test/server.test.ts",
      "test/server-socket.test.ts",
      "test/listener.test.ts",
      "test/request-client-disconnect.test.ts",
    ],
    testNamePattern: /^(?!.*http2)/i, // the server speaks HTTP/1.1
    environment: "node",
    globals: true,
    setupFiles: ["./test/setup.ts"],
    execArgv: ["--expose-gc"],
    fileParallelism: false,
  },
};
