import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { FormErrors } from '../../components/form-errors.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { Panel } from '../../components/panel.tsx'
import { useLinkedField } from '../../schema-form/linked-field.ts'
import { SchemaFields } from '../../schema-form/schema-fields.tsx'
import { useWorkspace } from '../../service/session.ts'
import { connectorsTexts } from '../../texts/connectors.ts'
import { sandboxTexts } from '../../texts/sandbox.ts'
import { ScopeOptionsContext, ScopePicker } from './scope-picker.tsx'
import { SetupSteps } from './setup-steps.tsx'
import type { ConnectorFormProps } from './types.ts'
import { useConnectorForm } from './use-connector-form.ts'

const texts = connectorsTexts.form
const widgets = { scopes: ScopePicker }

/** Name and settings by the schema of the type. Saving starts a test. */
export function ConnectorForm(props: ConnectorFormProps) {
  const { type, existing, workflowCount = 0, disabled = false } = props
  const { id: workspaceId } = useWorkspace()
  useLinkedField()
  const { form, input, fields, mode, setMode, secretNames, config, values } = useConnectorForm(props)
  return (
    <form {...form.form} autoComplete="off">
      <Panel title={texts.connection}>
        <Stack gap="md" maw={640}>
          <FormErrors failure={form.failure} />
          <TextInput
            label={texts.nameLabel}
            description={texts.nameHelp}
            placeholder={texts.nameExample[type.kind](type.terms)}
            autoComplete="off"
            disabled={disabled}
            withAsterisk
            {...form.field('name')}
          />
          {existing?.sandbox ? (
            <Text size="sm" c="dimmed">
              {sandboxTexts.fixed}
            </Text>
          ) : (
            <ScopeOptionsContext value={{ type, config, sourceId: existing?.id }}>
              <SchemaFields
                fields={fields}
                input={input}
                modes={type.sign_in_modes}
                mode={mode}
                onMode={setMode}
                storedSecrets={secretNames}
                widgets={widgets}
                disabled={disabled}
              />
            </ScopeOptionsContext>
          )}
          {existing?.sandbox || disabled ? null : <SetupSteps type={type} fields={fields} values={values} />}
          {workflowCount > 0 ? (
            <Text size="sm" c="dimmed">
              {texts.used(workflowCount)}
            </Text>
          ) : null}
          <Group gap="xs">
            <Button type="submit" loading={form.sending} disabled={disabled}>
              {texts.save}
            </Button>
            <ButtonLink
              variant="default"
              to="/w/$workspaceId/connectors"
              params={{ workspaceId }}
              search={{ tab: type.kind }}
            >
              {texts.back}
            </ButtonLink>
          </Group>
        </Stack>
      </Panel>
    </form>
  )
}
