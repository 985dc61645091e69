import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eld } from 'eld/extrasmall'
import fc from 'fast-check'
import { readLanguageData } from './language-data.ts'
import { createDetector } from './language-detector.ts'

/** The types of the package omit this parameter. */
type WithMinShare = { isReliable(minShare: number): boolean }

const detect = createDetector()

/** The same threshold for both. */
function reliable(text: string, minShare: number): [own: string | null, theirs: string | null] {
  const own = detect(text)
  const theirs = eld.detect(text)
  return [
    own && own.score >= own.usual * minShare ? own.language : null,
    (theirs as unknown as WithMinShare).isReliable(minShare) ? theirs.language : null,
  ]
}

const SCRIPTS = [0x61, 0xe0, 0x3b1, 0x430, 0x5d0, 0x627, 0x905, 0xe01, 0x10d0, 0x1200, 0x3042, 0x4e00, 0xac00]

describe('the language detector', () => {
  const texts = [
    'The team writes a short report after each incident.',
    'Das Team schreibt nach jedem Vorfall einen kurzen Bericht.',
    "L’équipe rédige un court rapport après chaque incident, c'est l'usage.",
    'チームは障害のたびに短い報告書を書きます。',
    'Команда пишет короткий отчёт после каждого сбоя.',
    "rock 'n' roll, it''s `quoted` at the end'",
    'word'.repeat(30),
  ]
  for (const text of texts)
    test(`it agrees with its package: ${text.slice(0, 40)}`, () => {
      const [own, theirs] = reliable(text, 0.5)
      assert.equal(own, theirs)
    })

  test('it agrees with its package for any letters', () => {
    const letter = fc
      .tuple(fc.constantFrom(...SCRIPTS), fc.nat(30))
      .map(([script, at]) => String.fromCodePoint(script + at))
    const character = fc.oneof(
      { weight: 5, arbitrary: letter },
      fc.constantFrom(' ', "'", '’', '5', '.', '😀'),
    )
    const text = fc.array(character, { maxLength: 60 }).map((characters) => characters.join(''))
    fc.assert(
      fc.property(text, fc.constantFrom(0.1, 0.5, 0.84), (each, minShare) => {
        const [own, theirs] = reliable(each, minShare)
        assert.equal(own, theirs)
      }),
    )
  })

  const start = "export const ngramsData = {type:'XS60',languages:{0:'am'},isSubset:false,ngrams:{"
  const rows = [
    '',
    `${start}'a':{0:300}}};`,
    `${start}'a':{0:1}`,
    `${start}'a':{0}}};`,
    `${start}'\\x41':{0:1}}};`,
    `${start}"a":{0:1}}};`,
  ]
  for (const [at, source] of rows.entries())
    test(`it refuses another form of the data (${at})`, () =>
      assert.throws(() => readLanguageData(source), /has another form/))
})
