import { readFileSync, writeFileSync } from 'node:fs'
import { tableScript } from '../src/connectors/postgres/table.ts'
import { errorsPage } from '../src/error-guide.ts'
import { withSettings } from '../src/settings.ts'

/** Writes the pages of the documentation that come from code. */
writeFileSync(new URL('errors.md', import.meta.url), errorsPage())
writeFileSync(new URL('index-bodies/postgres.sql', import.meta.url), tableScript())
const readme = new URL('../README.md', import.meta.url)
writeFileSync(readme, withSettings(readFileSync(readme, 'utf8')))
