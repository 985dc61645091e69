import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { connectTexts } from '../../texts/connect.ts'
import type { Terms } from '../../texts/nouns.ts'
import type { ReadEstimate } from './run-estimate.ts'

const texts = connectTexts.run

type Props = { estimate: ReadEstimate; terms: Terms; onRaise: (() => void) | undefined }

/** How much a run reads, and what the limits leave out. */
export function EstimateText({ estimate, terms, onRaise }: Props) {
  const { leftOut, scopesLeftOut, needed } = estimate
  return (
    <div role="status">
      <Text size="sm" className="figures">
        {texts.estimate(estimate, terms)}
      </Text>
      {leftOut > 0 || scopesLeftOut > 0 ? (
        <Alert
          variant="outline"
          color="var(--mr-warning)"
          icon={<IconAlertTriangle size={18} />}
          mt="xs"
          p="sm"
        >
          <Stack gap="xs" align="flex-start">
            <Text size="sm">{texts.leftOut(estimate, terms)}</Text>
            {leftOut > 0 && onRaise ? (
              <Button variant="default" size="xs" onClick={onRaise}>
                {texts.raise(needed)}
              </Button>
            ) : null}
          </Stack>
        </Alert>
      ) : null}
    </div>
  )
}
