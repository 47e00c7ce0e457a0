import preact from '@preact/preset-vite'
import { defineConfig } from 'vite'

/** Builds the fan's page to clients/web/dist: index.html for every /e/:slug, and /assets with hashed names. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [preact()],
  build: {
    target: 'es2023',
    // A file that stands in the page as data: would need a wider content security policy.
    assetsInlineLimit: 0,
  },
})
