import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unstartedServer } from '../../../src/api/http/unstarted-server.ts'
import { pythonTypesOf, synchronousPython } from './python.ts'
import { type OpenapiDocument, typesOf } from './types.ts'

const PYTHON = 'packages/python/src/millrace'

/** The committed files that come from the routes, by path from the project root. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const server = await unstartedServer()
  const document = server.swagger()
  await server.close()
  // The cast covers only the fields that the generators read.
  const described = document as unknown as OpenapiDocument
  const client = readFileSync(join(import.meta.dirname, '../../..', PYTHON, '_async.py'), 'utf8')
  return {
    'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'packages/millrace-client/src/schema.ts': typesOf(described),
    [`${PYTHON}/types.py`]: pythonTypesOf(described),
    [`${PYTHON}/_sync.py`]: synchronousPython(client),
  }
}
