import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useAction } from '../../../service/action.ts'
import { useApi } from '../../../service/session.ts'
import { connectorsTexts } from '../../../texts/connectors.ts'
import type { VerificationJob } from '../types.ts'

const texts = connectorsTexts.contents

/** How far a comparison or repair is, with a button to stop it. */
export function VerificationProgress({ job }: { job: VerificationJob }) {
  const api = useApi()
  const stop = useAction(() => api.post(`/jobs/${job.id}/cancel`))
  const { phase, documents_compared: compared, documents_total: total } = job.progress
  const share = phase === 'ledger' && total > 0 ? (100 * compared) / total : 100
  return (
    <Stack gap="xs" mb="md">
      <Group justify="space-between">
        <Text size="sm">{progressText(job.progress)}</Text>
        <Button variant="subtle" size="xs" loading={stop.isPending} onClick={() => stop.mutate()}>
          {texts.stop}
        </Button>
      </Group>
      <Progress value={share} animated={phase !== 'ledger'} aria-label={texts.progress.label} />
    </Stack>
  )
}

function progressText(progress: VerificationJob['progress']): string {
  if (progress.waits_for) return texts.progress.waits
  switch (progress.phase) {
    case 'ledger':
      return texts.progress.ledger(progress.documents_compared, progress.documents_total)
    case 'index':
      return texts.progress.index(progress.elements_listed)
    case 'repair':
    case 'start':
      return texts.progress.repair(progress.removed_elements)
    default:
      return texts.progress.confirm
  }
}
