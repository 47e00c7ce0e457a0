// npm run build:sdk: makes the package @fairgate/sdk in dist/sdk. Then: npm pack ./dist/sdk
import { fileURLToPath } from 'node:url'
import { buildSdk } from '../clients/codegen/sdkPackage.ts'

await buildSdk(fileURLToPath(new URL('../dist/sdk/', import.meta.url)))
