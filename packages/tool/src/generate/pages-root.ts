import { appModuleFile, pagesModuleFile, readIfPresent } from "./application.ts";

/** The module and the platform that the pages of an application start with. */
export interface PagesRoot {
  readonly moduleName: string;
  readonly moduleFile: string;
  readonly platformName: string;
  readonly platformFile: string;
}

const ofPages: PagesRoot = {
  moduleName: "PagesModule",
  moduleFile: pagesModuleFile,
  platformName: "createPagesPlatform",
  platformFile: "src/pages/pages.platform.ts",
};
const ofApplication: PagesRoot = {
  moduleName: "AppModule",
  moduleFile: appModuleFile,
  platformName: "createPlatform",
  platformFile: "src/platform.ts",
};

/** Undefined when the application has no function that creates its platform: its pages cannot be tested then. */
export function findPagesRoot(folder: string): PagesRoot | undefined {
  return [ofPages, ofApplication].find(({ platformName, platformFile }) =>
    readIfPresent(folder, platformFile)?.includes(`export function ${platformName}(`),
  );
}
