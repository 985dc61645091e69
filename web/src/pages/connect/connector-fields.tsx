import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useEffect, useMemo } from 'react'
import { FormErrors } from '../../components/form-errors.tsx'
import { type Field, fieldsOf } from '../../schema-form/schema.ts'
import { SchemaFields } from '../../schema-form/schema-fields.tsx'
import { useWorkspace } from '../../service/session.ts'
import { connectTexts as texts } from '../../texts/connect.ts'
import { connectorsTexts } from '../../texts/connectors.ts'
import { capitalized } from '../../texts/nouns.ts'
import { SetupSteps } from '../connectors/setup-steps.tsx'
import type { Connector, ConnectorType } from '../connectors/types.ts'
import { useConnectorForm } from '../connectors/use-connector-form.ts'
import { dropDraft, freeName, readDraft, suggestedValues, writeDraft } from './draft.ts'

type Props = {
  type: ConnectorType
  existing: Connector | undefined
  /** Names of other connectors. */
  taken: string[]
  onSaved: (connector: Connector) => Promise<void>
}

/** The fields that a connection needs; what is read comes in the last step. */
export function ConnectorFields({ type, existing, taken, onSaved }: Props) {
  const { id: workspaceId } = useWorkspace()
  const draftKey = `millrace-connect ${workspaceId} ${type.kind} ${type.type}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: a draft is read once.
  const draft = useMemo(
    () =>
      readDraft(draftKey) ?? {
        name: freeName(capitalized(type.kind === 'source' ? type.terms.system : type.terms.scope), taken),
        values: suggestedValues(fieldsOf(type.schema)),
      },
    [draftKey],
  )
  const { form, input, fields, mode, setMode, secretNames, values, snapshot } = useConnectorForm({
    type,
    ...(existing ? { existing } : { draft }),
    onSaved: async (connector) => {
      dropDraft(draftKey)
      await onSaved(connector)
    },
  })
  const isNew = !existing
  useEffect(() => {
    if (isNew) writeDraft(draftKey, snapshot, fields)
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
          storedSecrets={secretNames}
        />
        <TextInput
          label={connectorsTexts.form.nameLabel}
          description={connectorsTexts.form.nameHelp}
          autoComplete="off"
          withAsterisk
          {...form.field('name')}
        />
        <SetupSteps type={type} fields={fields} values={values} />
        <Group>
          <Button type="submit" variant={existing ? 'default' : 'filled'} loading={form.sending}>
            {existing ? texts.saveAgain : texts.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function isEssential({ advanced, limits, widget }: Field): boolean {
  return !advanced && !limits && widget !== 'scopes'
}
