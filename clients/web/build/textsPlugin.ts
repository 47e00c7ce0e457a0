import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'
import { compileText } from './compileText.ts'

/**
 * Compiles the page's texts at the build, so that the browser loads neither a parser nor the sources. A file of texts
 * becomes a module that exports `texts`: each one a string, or a function of its values.
 */
export function textsPlugin(): Plugin {
  return {
    name: 'fairgate-texts',
    enforce: 'pre',
    async transform(_, id) {
      const [path = ''] = id.split('?')
      if (!/\/src\/texts\/\w+\/\w+\.ts$/.test(path)) return null
      // The query makes Node read a file that changed while Vite watches.
      const { texts } = await import(`${pathToFileURL(path)}?${Date.now()}`)
      const compiled = Object.entries<string>(texts).map(([name, source]) => `${name}:${compileText(source)}`)
      return { code: `export const texts={${compiled.join(',\n')}}`, map: null }
    },
  }
}
