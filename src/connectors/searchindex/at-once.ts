/** Runs `work` so many times side by side. The first failure stops the others, and is the one that is told. */
export async function runWorkers(
  times: number,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  const ends = await Promise.allSettled(
    Array.from({ length: times }, () =>
      work(either).catch((error) => {
        failed.abort(error)
        throw error
      }),
    ),
  )
  if (ends.some((end) => end.status === 'rejected'))
    throw signal.aborted ? signal.reason : failed.signal.reason
}
