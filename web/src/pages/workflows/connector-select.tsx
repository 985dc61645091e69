import { Select, Stack } from '@mantine/core'
import { TextLink } from '../../components/links.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
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
  if (connectors.isError && !connectors.data) return <QueryFailure query={connectors} />
  const all = connectors.data ?? []
  return (
    <Stack gap={4}>
      <Select
        name={name}
        label={texts[kind]}
        description={connectors.data?.length === 0 ? texts.none : texts[`${kind}Help`]}
        placeholder={texts.choose}
        data={all.map(({ id, name, sandbox }) => ({
          value: id,
          label: sandbox ? sandboxTexts.option(name) : name,
        }))}
        value={value}
        onChange={onChange}
        error={error}
        searchable={all.length > 8}
        withAsterisk
        disabled={disabled}
      />
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
