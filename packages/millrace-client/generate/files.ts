import { unstartedServer } from '../../../src/api/http/unstarted-server.ts'
import { type OpenapiDocument, typesOf } from './types.ts'

/** The committed files that come from the routes, by path from the project root. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const server = await unstartedServer()
  const document = server.swagger()
  await server.close()
  return {
    'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    // The cast covers only the fields that the generator reads.
    'packages/millrace-client/src/schema.ts': typesOf(document as unknown as OpenapiDocument),
  }
}
