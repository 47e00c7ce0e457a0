import preact from '@preact/preset-vite'
import { defineConfig } from 'vite'
import { compression } from 'vite-plugin-compression2'
import { assetsPlugin, SERVICE_WORKER } from './build/assetsPlugin.ts'
import { textsPlugin } from './build/textsPlugin.ts'

/** The modules of the first screen, which later steps share. */
const DOOR =
  /preact|graphql-ws|clients\/sdk\/(?!challenge\/(?:challengeWorker|proofOfWork)|turnAlerts)|web\/src\/(?:i18n|model)\/(?!wish|offers|otherWishes)|web\/src\/view\/(?:App|AccountField|Countdown|EventView|Guilloche|NoticeBar|Prices|SignIn|TopBar|Waitlist|lazyView|levelColor|pattern|steps)\.tsx?$/

/** Builds the fan's page into clients/web/dist: index.html for every /e/:slug and /me, sw.js, and /assets with hashed names. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    textsPlugin(),
    preact(),
    assetsPlugin(),
    // The server sends these files as they are: nothing is compressed while fans arrive.
    compression({ algorithms: ['brotliCompress', 'gzip'], include: /\.(?:js|css|svg|json|webmanifest)$/ }),
  ],
  build: {
    target: 'es2023',
    // Files inlined as data: URLs would need a wider content security policy.
    assetsInlineLimit: 0,
    // The helper that preloads the parts of a step costs the door 1.2 kB, and a step has one part of its own and its texts.
    modulePreload: false,
    rolldownOptions: {
      input: {
        page: `${import.meta.dirname}/index.html`,
        serviceWorker: `${import.meta.dirname}/src/serviceWorker/serviceWorker.ts`,
      },
      output: {
        // The address of a service worker never changes, and it stands above the pages that it serves.
        entryFileNames: ({ name }) => (name === 'serviceWorker' ? SERVICE_WORKER : 'assets/[name]-[hash].js'),
        // Every request costs a header, and small files compress badly: what the first screen needs is one file.
        advancedChunks: { groups: [{ name: 'door', test: DOOR, minSize: 0 }] },
      },
    },
  },
})
