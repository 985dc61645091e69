import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatedFiles } from './files.ts'

/** `npm run openapi`: writes the OpenAPI document and the types of the client. */
const root = join(import.meta.dirname, '../../..')
for (const [path, text] of Object.entries(await generatedFiles())) {
  writeFileSync(join(root, path), text)
  console.log(`written ${path}`)
}
