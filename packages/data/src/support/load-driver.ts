import { StartError } from "@tenon/core";

/** Loads an optional driver; without it the start fails with the name of the package to install. */
export async function loadDriver<T>(name: string, option: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    if (!missing) throw error;
    throw new StartError([
      {
        code: "BAD_ENVIRONMENT",
        message: `${option} needs the package "${name}". Install it: npm install ${name}.`,
        cause: error,
      },
    ]);
  }
}
