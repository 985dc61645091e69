import { Text } from '@mantine/core'
import { sandboxTexts } from '../../texts/sandbox.ts'
import { useSandbox } from './sandbox.ts'

export function SandboxFilled() {
  const sandbox = useSandbox().data
  if (!sandbox) return null
  const { documents, max_documents: most } = sandbox
  return (
    <Text size="sm" c="dimmed" className="figures">
      {sandboxTexts.filled({ documents, most })}
    </Text>
  )
}
