import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readLanguageData } from './language-data.ts'

const path = fileURLToPath(new URL('../ngrams/extrasmall.js', import.meta.resolve('eld/extrasmall')))

describe('the data of the language detector', () => {
  test('it reads the same languages and scores as the package', async () => {
    const { ngramsData } = (await import(path)) as {
      ngramsData: NonNullable<ReturnType<typeof readLanguageData>>
    }
    const data = readLanguageData(await readFile(path, 'utf8'))
    assert.ok(data)
    assert.deepEqual([data.type, data.languages], [ngramsData.type, ngramsData.languages])
    const ngrams = Object.keys(ngramsData.ngrams)
    assert.ok(ngrams.length > 40_000)
    for (const ngram of ngrams) assert.deepEqual(data.ngrams[ngram], ngramsData.ngrams[ngram])
    for (const unknown of ['', 'constructor', 'no such']) assert.equal(data.ngrams[unknown], undefined)
  })

  const start = "export const ngramsData = {type:'XS60',languages:{0:'am'},isSubset:false,ngrams:{"
  const rows = [
    '',
    `${start}'a':{0:300}}};`,
    `${start}'a':{0:1}`,
    `${start}'\\x41':{0:1}}};`,
    `${start}"a":{0:1}}};`,
  ]
  for (const [at, source] of rows.entries())
    test(`it refuses another form (${at})`, () => assert.equal(readLanguageData(source), null))
})
