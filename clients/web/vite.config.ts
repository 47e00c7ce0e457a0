import preact from '@preact/preset-vite'
import { defineConfig } from 'vite'
import { assetsPlugin, SERVICE_WORKER } from './build/assetsPlugin.ts'
import { textsPlugin } from './build/textsPlugin.ts'

/** Builds the fan's page into clients/web/dist: index.html for every /e/:slug and /me, sw.js, and /assets with hashed names. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [textsPlugin(), preact(), assetsPlugin()],
  build: {
    target: 'es2023',
    // Files inlined as data: URLs would need a wider content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        page: `${import.meta.dirname}/index.html`,
        serviceWorker: `${import.meta.dirname}/src/serviceWorker/serviceWorker.ts`,
      },
      output: {
        // The address of a service worker never changes, and it stands above the pages that it serves.
        entryFileNames: ({ name }) => (name === 'serviceWorker' ? SERVICE_WORKER : 'assets/[name]-[hash].js'),
      },
    },
  },
})
