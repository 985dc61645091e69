import { searchTexts } from '../../texts/search.ts'
import { tokenOf } from './person.ts'

const texts = searchTexts.token

/** `group:g1` in words. */
export function Token({ token }: { token: string }) {
  const { kind, id } = tokenOf(token)
  if (kind === 'class') return <>{Object.hasOwn(texts.classes, id) ? texts.classes[id] : id}</>
  return (
    <>
      {texts[kind]} <span className="mono">{id}</span>
    </>
  )
}
