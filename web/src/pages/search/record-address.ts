/**
 * The record ids a text may mean: itself, or those of a document's address. A site's name may lack the last
 * part of its path, so both are tried.
 */
export function recordIdsIn(text: string): string[] {
  const typed = text.trim()
  if (!/^https?:\/\//i.test(typed)) return typed ? [typed] : []
  if (!URL.canParse(typed)) return []
  const { host, pathname, searchParams } = new URL(typed)
  const { before, id } = pageIn(pathname, searchParams)
  if (!id) return []
  const contexts = [before.replace(/\/[^/]*$/, ''), before]
  return [...new Set(contexts.map((context) => `${host.toLowerCase()}${context}/${id}`))]
}

function pageIn(path: string, search: URLSearchParams): { before: string; id: string | undefined } {
  const byNumber = /^(.*?)\/(?:spaces|display)\/[^/]+\/(?:pages|blog)(?:\/\d{4}\/\d{2}\/\d{2})?\/(\d+)/.exec(
    path,
  )
  if (byNumber) return { before: byNumber[1] ?? '', id: byNumber[2] }
  const before = /^(.*?)\/pages\/\w+\.action$/.exec(path)?.[1]
  if (before !== undefined) return { before, id: search.get('pageId') ?? undefined }
  const short = /^(.*?)\/pages\/(\d+)/.exec(path)
  return { before: short?.[1] ?? '', id: short?.[2] }
}
