import preact from '@preact/preset-vite'
import { defineConfig, type Plugin } from 'vite'

const SERVICE_WORKER = 'sw.js'

/** Builds the fan's page into clients/web/dist: index.html for every /e/:slug and /me, and /assets with hashed names. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [preact(), listAssets()],
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

/** Writes the paths of all assets into the service worker, which keeps them for a door without a network. */
function listAssets(): Plugin {
  return {
    name: 'list-assets',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const paths = Object.keys(bundle)
          .filter((name) => name.startsWith('assets/'))
          .sort()
          .map((name) => `/${name}`)
        const chunk = bundle[SERVICE_WORKER]
        if (chunk?.type !== 'chunk') throw new Error('the build has no service worker')
        chunk.code = chunk.code.replaceAll('__ASSETS__', JSON.stringify(paths))
      },
    },
  }
}
