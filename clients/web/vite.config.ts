import preact from '@preact/preset-vite'
import { defineConfig } from 'vite'
import { textsPlugin } from './build/textsPlugin.ts'

/** Builds the fan's page into clients/web/dist: index.html for every /e/:slug, and /assets with hashed names. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [textsPlugin(), preact()],
  build: {
    target: 'es2023',
    // Files inlined as data: URLs would need a wider content security policy.
    assetsInlineLimit: 0,
  },
})
