import assert from 'node:assert/strict'
import { test } from 'node:test'
import { highlightsOf, wordsIn } from './highlights.ts'

const marks = (text: string, ...words: string[]) => highlightsOf(text, (word) => words.includes(word))

test('it splits texts into words in lower case', () => {
  const words = (text: string) => wordsIn(text).map(({ word }) => word)
  assert.deepEqual(words('Don’t stop_now: 3.5% ÄRGER नमस्ते'), [
    ...['don', 't', 'stop', 'now', '3', '5', 'ärger', 'नमस्ते'],
  ])
  assert.deepEqual(words('東京のテ'), ['東', '東京', '京', '京の', 'の', 'のテ', 'テ'])
  assert.deepEqual(words('ab한국 กี่x'), ['ab', '한', '한국', '국', 'กี่', 'x'])
})

test('it escapes everything around and inside marks', () => {
  assert.deepEqual(marks('a <b>"x" & \'y\'</b>', 'x'), [
    'a &lt;b&gt;&quot;<mark>x</mark>&quot; &amp; &#x27;y&#x27;&lt;/b&gt;',
  ])
  assert.deepEqual(marks('nothing', 'x'), [])
})

test('it joins the marks of neighbouring pairs', () => {
  assert.deepEqual(marks('東京都の天気予報', '天気', '気予'), ['東京都の<mark>天気予</mark>報'])
})

test('it returns three passages at most, each of a readable length', () => {
  const text = Array.from({ length: 9 }, (_, at) => `mill ${'word '.repeat(80)}${at}`).join(' ')
  const passages = marks(text, 'mill')
  assert.equal(passages.length, 3)
  for (const passage of passages) assert.ok(passage.length <= 260, `${passage.length}`)
})

test('it cuts texts without spaces between characters', () => {
  const [passage = ''] = marks(`${'😀'.repeat(300)}mill${'😀'.repeat(300)}`, 'mill')
  assert.ok(passage.includes('<mark>mill</mark>') && passage.isWellFormed())
})
