import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Item } from './page.ts'
import { paragraphsOf, sizesOf } from './paragraphs.ts'
import { rowsOf } from './rows.ts'

/** Words of ten points per letter, `gap` points apart, on lines below each other. */
function textOf(lines: string[][], gap: number): string {
  const items = lines.flatMap((words, line) => {
    let x = 0
    return words.map((text): Item => {
      const item = { text, x, y: line * 12, width: text.length * 10, size: 10, bold: false }
      x += item.width + gap
      return item
    })
  })
  const rows = rowsOf(items)
  return paragraphsOf(rows, sizesOf(rows, 'text'), [])
    .map(({ text }) => text)
    .join('|')
}

test('it joins words and lines without spaces in languages that have none', () => {
  assert.equal(
    textOf(
      [
        ['每', '天', '晚上', '在'],
        ['备份', '完成', '之后', '，'],
      ],
      2,
    ),
    '每天晚上在备份完成之后，',
  )
  assert.equal(
    textOf(
      [
        ['บริการ', 'ชำระเงิน'],
        ['จะเริ่ม', 'ทำงาน'],
      ],
      2,
    ),
    'บริการชำระเงินจะเริ่มทำงาน',
  )
})

test('it keeps spaces in other languages, and wide ones in all', () => {
  assert.equal(
    textOf(
      [
        ['the', 'north'],
        ['gate', 'of'],
      ],
      2,
    ),
    'the north gate of',
  )
  assert.equal(textOf([['매일', '밤', '백업'], ['뒤에']], 2), '매일 밤 백업 뒤에')
  assert.equal(
    textOf(
      [
        ['在', 'Helm'],
        ['中', '设置'],
      ],
      2,
    ),
    '在 Helm 中设置',
  )
  assert.equal(textOf([['目', '次']], 8), '目 次')
})
