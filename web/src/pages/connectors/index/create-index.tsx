import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconTablePlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Snippet } from '../../../components/snippet.tsx'
import { Advanced } from '../../../schema-form/advanced.tsx'
import { useAction } from '../../../service/action.ts'
import { useApi } from '../../../service/session.ts'
import { connectorsTexts } from '../../../texts/connectors.ts'
import type { Terms } from '../../../texts/nouns.ts'
import { checkQuery, startCheck } from '../queries.ts'
import type { CreationPlan } from '../types.ts'
import classes from './create-index.module.css'

const texts = connectorsTexts.create

/** Offers to create a missing index, after a test that failed. */
export function CreateIndex({ id, terms }: { id: string; terms: Terms }) {
  const api = useApi()
  const check = useQuery(checkQuery(api, 'destination', id)).data
  const hasFailed = check?.status === 'FAILURE'
  const path = `/destinations/${id}/create-index`
  const plan = useQuery({ ...api.query<CreationPlan>(path), enabled: hasFailed, retry: false })
  const create = useAction(
    async () => {
      await api.post(path)
      await startCheck(api, 'destination', id)
    },
    { refreshes: [`/destinations/${id}`], notice: texts.created(plan.data?.name ?? '') },
  )
  if (!hasFailed || !plan.data || plan.data.exists) return null
  return (
    <MissingIndex
      plan={plan.data}
      terms={terms}
      isPending={create.isPending}
      onCreate={() => create.mutate()}
    />
  )
}

type Props = { plan: CreationPlan; terms: Terms; isPending: boolean; onCreate: () => void }

/** What creating the index would send, and a button that does. */
export function MissingIndex({
  plan: { name, allowed, request, command },
  terms,
  isPending,
  onCreate,
}: Props) {
  return (
    <Alert
      variant="outline"
      icon={<IconTablePlus size={18} />}
      title={texts.title(terms.scope, name)}
      classNames={{ body: classes.alert, message: classes.message, label: classes.alert }}
    >
      <Stack gap="sm">
        <Text size="sm">{allowed === false ? texts.refused(terms.scope) : texts.text(terms.scope)}</Text>
        {allowed === false ? (
          <Snippet code={command} what={texts.command} />
        ) : (
          <>
            <Group>
              <Button loading={isPending} onClick={onCreate}>
                {texts.action(terms.scope)}
              </Button>
            </Group>
            <Advanced title={texts.what} hasError={false}>
              <div className={classes.body}>
                <Snippet
                  code={`${request.method} ${request.path}\n${JSON.stringify(request.body, null, 2)}`}
                  what={texts.request}
                />
              </div>
              <Text size="sm">{texts.byHand}</Text>
              <Snippet code={command} what={texts.command} />
            </Advanced>
          </>
        )}
      </Stack>
    </Alert>
  )
}
