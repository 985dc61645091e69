import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { FormErrors } from '../../components/form-errors.tsx'
import { useFailureShown, useNotices } from '../../components/notices.tsx'
import { type Field, fieldsOf } from '../../schema-form/schema.ts'
import { SchemaFields } from '../../schema-form/schema-fields.tsx'
import { isSignedIn } from '../../service/ended-session.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import { connectTexts as texts } from '../../texts/connect.ts'
import { connectorsTexts } from '../../texts/connectors.ts'
import { capitalized } from '../../texts/nouns.ts'
import { Running } from '../connectors/check/check-panel.tsx'
import { CheckSteps } from '../connectors/check/check-steps.tsx'
import { MissingIndex } from '../connectors/index/create-index.tsx'
import { SetupSteps } from '../connectors/setup-steps.tsx'
import { type Connected, type Connector, type ConnectorType, pathOf } from '../connectors/types.ts'
import { useConnectorForm } from '../connectors/use-connector-form.ts'
import { freeName, readDraft, suggestedValues, writeDraft } from './draft.ts'
import { draftKey } from './stored-guide.ts'

type Props = {
  type: ConnectorType
  /** Names of other connectors. */
  taken: string[]
  onSaved: (connector: Connector) => Promise<void>
}

/** The fields that a connection needs. Only what passes its test is saved; until then it is a draft. */
export function ConnectorFields({ type, taken, onSaved }: Props) {
  const { id: workspaceId } = useWorkspace()
  const api = useApi()
  const notices = useNotices()
  const [outcome, setOutcome] = useState<Connected>()
  const createsIndex = useRef(false)
  const isSaved = useRef(false)
  const key = draftKey(workspaceId, type)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a draft is read once.
  const draft = useMemo(
    () =>
      readDraft(key) ?? {
        name: freeName(capitalized(type.kind === 'source' ? type.terms.system : type.terms.scope), taken),
        values: suggestedValues(fieldsOf(type.schema)),
      },
    [key],
  )
  const { form, input, fields, mode, setMode, values, snapshot, setScopes, scopes } = useConnectorForm({
    type,
    draft,
    send: async (body) => {
      setOutcome(undefined)
      const base = pathOf(type.kind)
      const sent = { ...body, create_index: createsIndex.current }
      createsIndex.current = false
      const tested = await api.post<Connected>(`${base}/connect`, sent)
      if (!tested.connector) {
        notices.announce(texts.failed)
        return setOutcome(tested)
      }
      isSaved.current = true
      sessionStorage.removeItem(key)
      await api.refresh(base, '/overview')
      await onSaved(tested.connector)
    },
  })
  useEffect(() => {
    if (!isSaved.current && isSignedIn()) writeDraft(key, snapshot, fields)
  })
  return (
    <form {...form.form} autoComplete="off">
      <Stack gap="md" maw={640}>
        <FormErrors failure={form.failure} />
        <SchemaFields
          fields={fields.filter(isEssential)}
          input={input}
          modes={type.sign_in_modes}
          mode={mode}
          onMode={setMode}
        />
        {scopes.length > 0 ? (
          <Group gap="xs">
            {scopes.map((scope) => (
              <Button
                key={scope}
                variant="default"
                size="compact-sm"
                rightSection={<IconX size={14} aria-hidden="true" />}
                aria-label={texts.removeScope(scope, type.terms)}
                onClick={() => setScopes(scopes.filter((each) => each !== scope))}
              >
                {texts.onlyScope(scope, type.terms)}
              </Button>
            ))}
            <Text size="sm" c="dimmed">
              {texts.fromAddress}
            </Text>
          </Group>
        ) : null}
        <TextInput
          label={connectorsTexts.form.nameLabel}
          description={connectorsTexts.form.nameHelp}
          autoComplete="off"
          withAsterisk
          {...form.field('name')}
        />
        <SetupSteps type={type} fields={fields} values={values} />
        <Group>
          <Button type="submit" loading={form.sending}>
            {texts.save}
          </Button>
        </Group>
        {form.sending ? <Running steps={[]} /> : null}
        {outcome && !form.sending ? <FailedTest outcome={outcome} /> : null}
        {outcome?.missing_index && !form.sending ? (
          <MissingIndex
            plan={outcome.missing_index}
            terms={type.terms}
            isPending={form.sending}
            onCreate={() => {
              createsIndex.current = true
              form.form.ref.current?.requestSubmit()
            }}
          />
        ) : null}
      </Stack>
    </form>
  )
}

function FailedTest({ outcome: { check, created_index: index } }: { outcome: Connected }) {
  useFailureShown(true)
  return (
    <Alert variant="outline" color="var(--mr-bad)" title={texts.failed} role="alert">
      {index === null ? null : <Text size="sm">{connectorsTexts.create.created(index)}</Text>}
      <CheckSteps steps={check.steps} />
    </Alert>
  )
}

function isEssential({ advanced, limits, widget }: Field): boolean {
  return !advanced && !limits && widget !== 'scopes'
}
