/** Entries of all pages, each page fetched when it is needed. */
export async function* byCursor<Entry>(
  read: (cursor: string | undefined) => Promise<{ items: Entry[]; next: string | null }>,
): AsyncGenerator<Entry> {
  let cursor: string | undefined
  do {
    const { items, next } = await read(cursor)
    yield* items
    cursor = next ?? undefined
  } while (cursor !== undefined)
}

/** For lists without a cursor: a page that is not full is the last one. */
export async function* byPage<Entry>(
  pageSize: number,
  read: (page: number) => Promise<Entry[]>,
): AsyncGenerator<Entry> {
  for (let page = 1; ; page++) {
    const entries = await read(page)
    yield* entries
    if (entries.length < pageSize) return
  }
}

/** All entries as an array. */
export async function collect<Entry>(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const all: Entry[] = []
  for await (const entry of entries) all.push(entry)
  return all
}
