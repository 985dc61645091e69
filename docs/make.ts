import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { tableScript } from '../src/connectors/postgres/table.ts'
import { errorsPage } from '../src/error-guide.ts'
import { indexBodies } from './index-bodies.ts'
import { withTables } from './tables.ts'

/** Writes the pages of the documentation that come from code. */
writeFileSync(new URL('errors.md', import.meta.url), errorsPage())
for (const [name, body] of Object.entries(indexBodies()))
  writeFileSync(new URL(`index-bodies/${name}`, import.meta.url), body)
writeFileSync(new URL('index-bodies/postgres.sql', import.meta.url), tableScript())
for (const path of globSync('**/*.md', { cwd: import.meta.dirname })) {
  const page = new URL(path, import.meta.url)
  const text = readFileSync(page, 'utf8')
  if (withTables(text) !== text) writeFileSync(page, withTables(text))
}
