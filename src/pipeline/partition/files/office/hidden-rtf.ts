/** A control word with its number and space, a character in hexadecimal, a brace, or text. */
const TOKENS = /\\([a-z]{1,40})(-?\d{1,10})? ?|\\'[0-9a-f]{2}|\\[^a-z]|[{}]|[^\\{}]+/gi

type State = { isHidden: boolean; isDeleted: boolean }

/** RTF without hidden and deleted text. Formatting stays, and ends with its group. */
export function withoutHiddenRtf(rtf: string): string {
  if (!/\\(?:v|deleted)(?![a-z])/.test(rtf)) return rtf
  const groups: State[] = []
  let state: State = { isHidden: false, isDeleted: false }
  return rtf.replaceAll(TOKENS, (token, word?: string, value?: string) => {
    if (token === '{') groups.push(state)
    else if (token === '}') state = groups.pop() ?? state
    else if (word === 'v') state = { ...state, isHidden: value !== '0' }
    else if (word === 'deleted') state = { ...state, isDeleted: value !== '0' }
    else if (word === 'plain') state = { isHidden: false, isDeleted: false }
    else if ((state.isHidden || state.isDeleted) && isText(token, word)) return ''
    return token
  })
}

function isText(token: string, word: string | undefined): boolean {
  return word === undefined ? token !== '\\*' && token !== '\\\n' : TEXT_WORDS.has(word)
}

const TEXT_WORDS = new Set('u tab line emdash endash bullet lquote rquote ldblquote rdblquote'.split(' '))
