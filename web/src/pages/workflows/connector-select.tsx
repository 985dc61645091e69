import { Select, Stack } from '@mantine/core'
import { TextLink } from '../../components/links.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { sandboxTexts } from '../../texts/sandbox.ts'
import { workflowsTexts } from '../../texts/workflows.ts'
import { useConnectors } from '../connectors/queries.ts'
import type { Kind } from '../connectors/types.ts'
import { SandboxNote } from '../sandbox/sandbox-note.tsx'

const texts = workflowsTexts.form

type Props = {
  kind: Kind
  name: string
  value: string | null
  error?: string | undefined
  disabled?: boolean | undefined
  onChange: (id: string | null) => void
}

/** A source or destination, with a link to create one. */
export function ConnectorSelect({ kind, name, value, error, disabled = false, onChange }: Props) {
  const { id: workspaceId, role } = useWorkspace()
  const connectors = useConnectors(kind)
  return (
    <Stack gap={4}>
      <Loaded query={connectors} size={82}>
        {(all) => (
          <Select
            name={name}
            label={texts[kind]}
            description={all.length === 0 ? texts.none : texts[`${kind}Help`]}
            placeholder={texts.choose}
            data={all.map(({ id, name: label, sandbox }) => ({
              value: id,
              label: sandbox ? sandboxTexts.option(label) : label,
            }))}
            value={value}
            onChange={onChange}
            error={error}
            searchable={all.length > 8}
            withAsterisk
            disabled={disabled}
          />
        )}
      </Loaded>
      {kind === 'destination' ? <SandboxNote destinationId={value} linked={false} /> : null}
      {may(role, 'developer') ? (
        <TextLink
          size="sm"
          w="fit-content"
          to="/w/$workspaceId/connectors/$kind/new"
          params={{ workspaceId, kind }}
        >
          {texts.createConnector[kind]}
        </TextLink>
      ) : null}
    </Stack>
  )
}
