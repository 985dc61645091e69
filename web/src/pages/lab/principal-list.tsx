import { Button } from '@mantine/core'
import { Fragment, useState } from 'react'
import { Principal } from '../../components/principal.tsx'
import { labTexts } from '../../texts/lab.ts'
import { tokensOf } from './explanation.ts'
import type { Principals } from './types.ts'

const texts = labTexts.proof
/** About two lines. */
const MAX_SHOWN = 5

type Props = { principals: Principals; destinationId: string | null }

/** “group People team, person Ann and 12 more” */
export function PrincipalList({ principals, destinationId }: Props) {
  const [isWhole, setWhole] = useState(false)
  const all = tokensOf(principals)
  const shown = isWhole ? all : all.slice(0, MAX_SHOWN)
  const left = all.length - shown.length + principals.more
  return (
    <>
      {shown.map(({ token, name }, index) => (
        <Fragment key={token}>
          {index === 0 ? '' : index === shown.length - 1 && left === 0 ? ` ${texts.and} ` : ', '}
          <Principal token={token} destinationId={destinationId} name={name} />
        </Fragment>
      ))}
      {left > 0 ? ` ${texts.and} ${texts.others(left)}` : ''}
      {shown.length < all.length ? (
        <>
          {' '}
          <Button variant="subtle" size="compact-xs" onClick={() => setWhole(true)}>
            {texts.showAll}
          </Button>
        </>
      ) : null}
    </>
  )
}
