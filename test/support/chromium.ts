import type { Program } from '../../embedded/install.ts'

/** For `findOrInstall`: any installed Chromium or Chrome, else Debian's or Homebrew's. */
export const CHROMIUM: Program = {
  title: 'Chromium',
  commands: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  paths: [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ],
  apt: 'chromium',
  brew: ['--cask', 'chromium'],
  otherwise: 'The tests need Chromium or Chrome: install it so that it is on the PATH.',
}
