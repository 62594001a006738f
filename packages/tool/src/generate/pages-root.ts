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

/** The tests of the templates start with `AppModule` and `createPlatform()`. */
export function useRoot(text: string, root: PagesRoot): string {
  return text
    .replaceAll(ofApplication.moduleName, root.moduleName)
    .replaceAll(ofApplication.platformName, root.platformName)
    .replace(ofApplication.moduleFile, root.moduleFile)
    .replace(ofApplication.platformFile, root.platformFile);
}
