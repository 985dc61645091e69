import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { LANGUAGES } from '../web/src/service/languages.ts'

const dist = new URL('../web/dist/', import.meta.url)
// Leaves room for the font and the API below the 250 KB of a first load (test/journey/page-screens.test.ts).
const LIMIT = 235_000

/** Scripts and styles that the HTML names; the service removes the links of the other screen. */
for (const language of LANGUAGES)
  describe(`the web page in ${language}`, () => {
    const index = new URL(`index.${language}.html`, dist)
    before(() => assert.ok(existsSync(index), 'it is not built: npm run build:web'))

    for (const [screen, other] of [
      ['sign-in', 'start'],
      ['start', 'sign-in'],
    ] as const) {
      test(`it shows ${screen} after less than 235 KB of gzipped scripts and styles`, () => {
        const files = filesOf(index, screen)
        assert.ok(files.length > 3 && files.length < 6, files.join(', '))
        const weight = files.reduce(
          (sum, file) => sum + gzipSync(readFileSync(new URL(file, dist))).length,
          0,
        )
        assert.ok(weight < LIMIT, `${weight} bytes: ${files.join(', ')}`)
      })

      test(`it loads ${screen} without the scripts of ${other}`, () => {
        const [needless] = filesOf(index, other).filter((file) => file.startsWith(`assets/${other}-`))
        for (const file of filesOf(index, screen)) {
          const imports: string[] =
            readFileSync(new URL(file, dist), 'utf8').match(/(?<=from"\.\/)[^"]+/g) ?? []
          assert.equal(
            imports.includes(String(needless).slice('assets/'.length)),
            false,
            `${file} imports ${needless}`,
          )
        }
      })
    }

    test('it uses no other host and nothing inline', () => {
      const html = readFileSync(index, 'utf8')
      assert.doesNotMatch(html, /(src|href)="(https?:)?\/\//)
      assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=/)
    })
  })

function filesOf(index: URL, screen: string): string[] {
  const html = readFileSync(index, 'utf8')
  const tags = [
    ...html.matchAll(/<(?:script|link)[^>]*(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"[^>]*>/g),
  ]
  return tags.flatMap(([tag, file = '']) => {
    const [, only = screen] = /data-screen="([^"]+)"/.exec(tag) ?? []
    return only === screen ? [file] : []
  })
}
