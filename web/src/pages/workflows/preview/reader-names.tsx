import { Text } from '@mantine/core'
import { Fragment } from 'react'
import { Principal } from '../../../components/principal.tsx'
import { principalOf } from '../../../components/principal-token.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'

const texts = workflowsTexts.preview.readers
// A document may name thousands.
const SHOWN = 20

type Props = {
  tokens: string[]
  /** Names that the caller has, by id. */
  names: ReadonlyMap<string, string> | undefined
  destinationId: string | undefined
}

/** "Readers: group Engineering, Ann Bell". */
export function ReaderNames({ tokens, names, destinationId }: Props) {
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      <strong>{texts.title}</strong>{' '}
      {tokens.slice(0, SHOWN).map((token, index) => {
        const { kind, id } = principalOf(token)
        return (
          <Fragment key={token}>
            {index > 0 ? ', ' : ''}
            <Principal
              token={token}
              destinationId={destinationId}
              name={names?.get(id)}
              bare={kind === 'user'}
            />
          </Fragment>
        )
      })}
      {tokens.length === 0 ? texts.none : null}
      {tokens.length > SHOWN ? texts.more(tokens.length - SHOWN) : null}
    </Text>
  )
}
