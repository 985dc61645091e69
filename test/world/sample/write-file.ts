import { writeFile } from 'node:fs/promises'
import { makeSample } from './make-file.ts'

/** `npm run sample`: writes the data of the sample source. */
const { file } = await makeSample()
const path = new URL('../../../src/connectors/sample/sample.json', import.meta.url)
await writeFile(path, `${JSON.stringify(file, null, 2)}\n`)
