import { Skeleton, Stack } from '@mantine/core'

/** Shown while a screen loads. */
export function PageSkeleton() {
  return (
    <Stack gap="md" aria-hidden="true">
      <Skeleton height={28} width={200} />
      <Skeleton height={16} width="min(480px, 100%)" />
      <Skeleton height={240} mt="md" />
    </Stack>
  )
}
