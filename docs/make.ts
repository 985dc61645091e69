import { writeFileSync } from 'node:fs'
import { tableScript } from '../src/connectors/postgres/table.ts'
import { errorsPage } from '../src/error-guide.ts'

/** Writes the pages of the documentation that come from code. */
writeFileSync(new URL('errors.md', import.meta.url), errorsPage())
writeFileSync(new URL('index-bodies/postgres.sql', import.meta.url), tableScript())
