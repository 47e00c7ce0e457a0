import { find, findOrInstall, type Program } from '../../embedded/install.ts'

const PATHS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const CHROMIUM: Program = {
  title: 'Chromium',
  commands: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  paths: PATHS,
  apt: 'chromium',
  brew: ['--cask', 'chromium'],
  otherwise: 'The tests need Chromium or Chrome: install it so that it is on the PATH.',
}

const HEADLESS_SHELL: Program = {
  ...CHROMIUM,
  title: "Chromium's headless shell",
  commands: ['chromium-headless-shell', 'chrome-headless-shell'],
  apt: 'chromium-headless-shell',
}

/** Returns the path of a Chromium with all that a fan's has, such as notifications. Installs it where there is none. */
export const findChromium = (): string => findOrInstall(CHROMIUM)

/**
 * Returns the path of Chromium's headless shell: the same engine without a browser around it, at three quarters of the cost
 * of a test. Where there is none, returns Chromium's.
 */
export const findHeadless = (): string => find(HEADLESS_SHELL) ?? findChromium()

/** Installs both. A system whose package manager has no headless shell runs all tests in Chromium. */
export function installBrowsers(): void {
  findChromium()
  try {
    findOrInstall(HEADLESS_SHELL)
  } catch {
    process.stderr.write('The tests run in Chromium.\n')
  }
}
