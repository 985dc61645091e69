import { writeFileSync } from 'node:fs'
import { errorsPage } from '../src/error-guide.ts'

/** Writes the pages of the documentation that come from code. */
writeFileSync(new URL('errors.md', import.meta.url), errorsPage())
