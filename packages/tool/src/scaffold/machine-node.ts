/** The Node of applications on a machine whose own is too old: that of the workspace. */
export const ownNodeVersion = "26.10.0";

/** The oldest version that runs applications. */
const oldest = 24;

/** The Node of the machine, which is not always the one that runs the tool. */
export class MachineNode {
  /** Whether a new application has to bring a Node of its own. */
  readonly isTooOld: boolean;

  /** By default from the variable with which npm names itself and the Node that it runs on. */
  constructor(npm: string = readUserAgent(), program: string = process.execPath) {
    const major = Number(/\bnode\/v(\d+)/.exec(npm)?.[1] ?? oldest);
    // `npx -p node@26` puts the package `node` before the machine's
    const isFromNpm = /[\\/]node_modules[\\/]node[\\/]bin[\\/]/.test(program);
    this.isTooOld = isFromNpm && major < oldest;
  }
}

function readUserAgent(): string {
  // biome-ignore lint/style/noProcessEnv: npm tells this in no other way
  return process.env.npm_config_user_agent ?? "";
}
