import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  SAMPLES,
  TECHNICAL,
  UNKNOWN_LANGUAGES,
  WITHOUT_LANGUAGE,
} from '../../../test/world/language-samples.ts'
import { detectLanguage } from './language.ts'

describe('the language of a text', () => {
  for (const [language, sentences] of Object.entries(SAMPLES)) {
    test(`it is ${language} for a sentence and for a page`, () => {
      for (const text of [...sentences, sentences.join('\n'), sentences.join('\n').repeat(5)]) {
        assert.equal(detectLanguage(text), language, text)
      }
    })
  }

  for (const [language, text] of Object.entries(TECHNICAL)) {
    test(`it is ${language} for a page full of names and commands`, () => {
      for (const each of [text, text.split('\n').toReversed().join('\n'), text.replaceAll('\n', ' ')])
        assert.equal(detectLanguage(each), language, each)
    })
  }

  for (const [what, text] of Object.entries({ ...WITHOUT_LANGUAGE, ...UNKNOWN_LANGUAGES })) {
    test(`it is unknown for ${what}`, () => assert.equal(detectLanguage(text), undefined))
  }

  test('it ignores numbers and addresses', () => {
    const [first, second, third] = SAMPLES.eng!
    const text = `${first} ${second}\n${WITHOUT_LANGUAGE.numbers}\n${WITHOUT_LANGUAGE.addresses}\n${third} ${first}`
    assert.equal(detectLanguage(text), 'eng')
  })

  test('it is the macrolanguage of languages too similar to separate', () => {
    const croatian =
      'Usluga plaćanja ponovno se pokreće svake noći nakon sigurnosne kopije, a dežurni tim ujutro čita izvješće.'
    const serbian =
      'Usluga plaćanja se ponovo pokreće svake noći posle rezervne kopije, a dežurni tim ujutru čita izveštaj.'
    assert.deepEqual([detectLanguage(croatian), detectLanguage(serbian)], ['hbs', 'hbs'])
  })
})
