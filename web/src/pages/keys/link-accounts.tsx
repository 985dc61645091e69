import { Alert, Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Loaded } from '../../components/loaded.tsx'
import { useApi } from '../../service/session.ts'
import type { OwnAccount } from '../../service/types.ts'
import { identityTexts } from '../../texts/identity.ts'
import { keysTexts } from '../../texts/keys.ts'
import { LinkForm } from '../settings/own-accounts.tsx'

/** For people without an account in a source, who would find only what visitors can read. */
export function LinkAccounts() {
  const accounts = useQuery(useApi().query<OwnAccount[]>('/identities/own'))
  return (
    <Loaded query={accounts} size={0}>
      {(all) =>
        all
          .filter(({ account }) => account === null)
          .map((own) => <LinkAccount key={own.source_id} own={own} />)
      }
    </Loaded>
  )
}

function LinkAccount({ own }: { own: OwnAccount }) {
  const [isLinking, setLinking] = useState(false)
  return (
    <Alert variant="outline" color="var(--mr-warning)" title={keysTexts.unlinked.title(own.name)}>
      <Stack align="flex-start">
        <Text size="sm">{own.can_link ? keysTexts.unlinked.text : keysTexts.unlinked.ask}</Text>
        {own.can_link && !isLinking ? (
          <Button variant="default" size="xs" onClick={() => setLinking(true)}>
            {identityTexts.own.link(own.name)}
          </Button>
        ) : null}
        {isLinking ? <LinkForm own={own} onClose={() => setLinking(false)} /> : null}
      </Stack>
    </Alert>
  )
}
