type Closable = { close(): Promise<unknown> }

/** Closes in every case, and reports the first error. */
export async function withOpen<Opened extends Closable, Result>(
  opening: Opened | Promise<Opened>,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const opened = await opening
  const result = await closeOnFailure(opened, work)
  await opened.close()
  return result
}

/** On success the caller keeps it open. */
export async function closeOnFailure<Opened extends Closable, Result>(
  opened: Opened,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(opened)
  } catch (error) {
    await opened.close().catch(() => {})
    throw error
  }
}
