import { Text } from '@mantine/core'
import { Loaded } from '../../components/loaded.tsx'
import { sandboxTexts } from '../../texts/sandbox.ts'
import { useSandbox } from './sandbox.ts'

export function SandboxFilled() {
  return (
    <Loaded query={useSandbox()} size="inline">
      {({ documents, max_documents: most }) => (
        <Text size="sm" c="dimmed" className="figures">
          {sandboxTexts.filled({ documents, most })}
        </Text>
      )}
    </Loaded>
  )
}
