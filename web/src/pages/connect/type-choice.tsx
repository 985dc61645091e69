import { Radio, Stack } from '@mantine/core'
import { connectTexts } from '../../texts/connect.ts'
import { listed } from '../../texts/locale.ts'
import { sandboxTexts } from '../../texts/sandbox.ts'
import type { ConnectorType, Kind } from '../connectors/types.ts'
import { useSandbox } from '../sandbox/sandbox.ts'

/** The choice of a destination inside the service. */
export const SANDBOX = 'sandbox'

type Props = { kind: Kind; types: ConnectorType[]; value: string; onChange: (type: string) => void }

/** What can be connected; nothing where there is no choice. */
export function TypeChoice({ kind, types, value, onChange }: Props) {
  const sandbox = useSandbox(kind === 'destination').data
  if (kind === 'source' && types.length < 2) return null
  return (
    <Radio.Group label={connectTexts.type[kind]} value={value} onChange={onChange}>
      <Stack gap="xs" mt="xs" maw={640}>
        {types.map(({ type, systems, about }) => (
          <Radio key={type} value={type} label={listed(systems)} description={about} />
        ))}
        {kind === 'destination' ? (
          <Radio
            value={SANDBOX}
            label={sandboxTexts.choice}
            disabled={!sandbox?.available}
            description={sandbox?.reason ?? (sandbox ? sandboxTexts.about(sandbox.max_documents) : null)}
          />
        ) : null}
      </Stack>
    </Radio.Group>
  )
}
