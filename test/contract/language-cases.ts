import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SAMPLES } from '../world/language-samples.ts'
import { writeItem } from '../world/search-engine/fresh-index.ts'
import { searchHits } from '../world/search-hits.ts'
import type { SearchUnderTest } from './search-cases.ts'

const { signal } = new AbortController()
const EVERYBODY = 'class:anonymous-users'

type Case = { language: string; query: string; text: string; marked: string; other?: string }

/** A word inside running text, in another form or joined to others. `other` has the same signs, but not the word. */
export const LANGUAGE_CASES: Case[] = [
  { language: 'Chinese', query: '备份', text: SAMPLES.zho![0]!, marked: '备份', other: '请准备好三份文件' },
  {
    language: 'Japanese',
    query: '再起動',
    text: SAMPLES.jpn![0]!,
    marked: '再起動',
    other: '動物を再び起こす',
  },
  {
    language: 'Japanese syllables',
    query: 'バックアップ',
    text: '夜間サーバーバックアップ手順',
    marked: 'バックアップ',
  },
  { language: 'Korean', query: '서비스', text: SAMPLES.kor![0]!, marked: '서비스', other: '비서실 스위치' },
  { language: 'Thai', query: 'ชำระเงิน', text: SAMPLES.tha![0]!, marked: 'ชำระเงิน', other: 'เราย้ายหน้าเก่า' },
  { language: 'Lao', query: 'ເອກະສານ', text: 'ກະລຸນາເກັບເອກະສານໄວ້', marked: 'ເອກະສານ' },
  { language: 'Arabic', query: 'الخدمات', text: SAMPLES.ara![0]!, marked: 'خدمة' },
  { language: 'Arabic with an article', query: 'مدرسة', text: 'زارت المدرسة أمس', marked: 'المدرسة' },
  { language: 'Hebrew with a prefix', query: 'גיבוי', text: SAMPLES.heb![0]!, marked: 'הגיבוי' },
  { language: 'Hebrew', query: 'המנהל', text: 'פגשנו מנהל חדש', marked: 'מנהל' },
  { language: 'Hebrew with two prefixes', query: 'צוות', text: SAMPLES.heb![0]!, marked: 'והצוות' },
]

/** Parts of words, which PostgreSQL does not find. */
export const COMPOUND_CASES: Case[] = [
  ...['Versicherung', 'Versicherungen', 'Kranken'].map((query) => {
    return {
      language: 'German',
      query,
      text: 'Die Krankenversicherung zahlt.',
      marked: 'Krankenversicherung',
    }
  }),
  { language: 'German', query: 'Gehäuse', text: 'Ein Metallgehäuse schützt es.', marked: 'Metallgehäuse' },
]

/** Words of languages that a search by exact words does not find. `fresh` opens a destination with its whole schema. */
export function languageCases(fresh: () => Promise<SearchUnderTest>, cases: Case[]): void {
  let index: SearchUnderTest
  before(async () => {
    index = await fresh()
    const everybody = { access: { c0: [EVERYBODY] }, more: { title: '' } }
    const closed = { access: { c0: [EVERYBODY], c1: ['user:other'] }, more: { title: '' } }
    const items = cases.flatMap(({ text, other }, at) => [
      writeItem(`case ${at}`, { text, ...everybody }),
      writeItem(`closed ${at}`, { text, ...closed }),
      writeItem(`titled ${at}`, { text: '–', access: { c0: ['user:titles'] }, more: { title: text } }),
      ...(other ? [writeItem(`other ${at}`, { text: other, ...everybody })] : []),
    ])
    assert.deepEqual(await index.destination.write(items, 1, signal), [])
    await index.refresh()
  })
  after(() => index[Symbol.asyncDispose]())

  const hitsOf = async (query: string, tokens: string[]) =>
    (await searchHits(index.destination.search, { query, tokens, size: 20, from: 0 }, signal)).hits

  for (const [at, { language, query, text, marked }] of cases.entries())
    test(`finds and marks a word inside a text: ${language}, ${query}`, async () => {
      const hits = await hitsOf(query, [EVERYBODY])
      assert.equal(hits[0]?.text, text)
      const [highlight = ''] = hits[0]?.highlights ?? []
      assert.ok(highlight.replaceAll('</mark><mark>', '').includes(`<mark>${marked}</mark>`), highlight)
      assert.deepEqual(
        hits.filter(({ element_id: id }) => id.startsWith('closed') || id.startsWith('titled')),
        [],
      )
      const [titled] = await hitsOf(query, ['user:titles'])
      assert.equal(titled?.title, text, `${at}`)
      assert.deepEqual(await hitsOf(query, ['user:other']), [])
    })

  test('takes long queries without spaces', async () => {
    for (const sign of ['备', 'ก', '가', 'ア']) {
      const letters = Array.from({ length: 1000 }, (_, at) =>
        String.fromCodePoint(sign.codePointAt(0)! + (at % 40)),
      )
      await hitsOf(letters.join(''), [EVERYBODY])
    }
  })
}
