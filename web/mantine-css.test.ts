import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesFor } from './mantine-css.ts'

test('keeps rules of used classes and rules without a class', () => {
  const css = `@layer mantine {
    :root { --a: 1px; }
    .m_aaaaaaaa, .m_bbbbbbbb { color: red; }
    .m_aaaaaaaa .m_cccccccc { color: blue; }
    @media (min-width: 1px) { .m_bbbbbbbb:where([data-x]) { color: green; } }
  }`
  const kept = rulesFor(css, 'root: "m_aaaaaaaa"')
  assert.match(kept, /--a/)
  assert.match(kept, /\.m_aaaaaaaa\s*\{/)
  assert.doesNotMatch(kept, /bbbbbbbb|cccccccc/)
})
