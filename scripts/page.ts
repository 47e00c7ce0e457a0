// npm run build:web: builds the fan's page where its sources changed, as npm start does.
import { fileURLToPath } from 'node:url'
import { buildPage } from '../embedded/page.ts'

await buildPage(fileURLToPath(new URL('..', import.meta.url)))
