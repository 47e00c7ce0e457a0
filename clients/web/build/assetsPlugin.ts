import type { Plugin } from 'vite'

export const SERVICE_WORKER = 'sw.js'

/** Writes the paths of all assets into the service worker, which keeps them for a door without a network. */
export function assetsPlugin(): Plugin {
  return {
    name: 'fairgate-assets',
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
