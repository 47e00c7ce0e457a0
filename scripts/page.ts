// npm run build:web: builds the fan's page if its sources changed, like npm start.
import { fileURLToPath } from 'node:url'
import { buildPage } from '../embedded/page.ts'

await buildPage(fileURLToPath(new URL('..', import.meta.url)))
