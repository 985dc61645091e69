import { Anchor, Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { ApiError } from '../service/errors.ts'
import { shellTexts } from '../texts/shell.ts'
import { NotFound } from './not-found.tsx'
import { errorText } from './notices.tsx'
import { PageSkeleton } from './page-skeleton.tsx'
import { type FailedQuery, QueryFailure } from './query-failure.tsx'

export type LoadingQuery<Data = unknown> = FailedQuery & { data: Data | undefined; isError: boolean }

type Props<Data> = {
  query: LoadingQuery<Data>
  /** The height of a panel while it loads, `page` for a whole screen, or `inline` for one value. */
  size?: number | 'page' | 'inline'
  /** Replaces the usual skeleton. */
  skeleton?: ReactNode
  children: (data: Data) => ReactNode
}

/** A skeleton, then what was loaded, or why it failed with "Try again". */
export function Loaded<Data>({ query, size = 240, skeleton, children }: Props<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (!query.isError) return skeleton ?? skeletonOf(size)
  if (size === 'inline') return <InlineFailure query={query} />
  if (size === 'page' && query.error instanceof ApiError && query.error.status === 404) return <NotFound />
  return <QueryFailure query={query} />
}

function skeletonOf(size: number | 'page' | 'inline') {
  if (size === 'page') return <PageSkeleton />
  if (size === 'inline') return <Skeleton component="span" display="inline-block" height={14} width={96} />
  return <Skeleton height={size} />
}

function InlineFailure({ query: { error, refetch } }: { query: LoadingQuery<unknown> }) {
  return (
    <Anchor component="button" type="button" size="sm" title={errorText(error)} onClick={() => refetch()}>
      {shellTexts.broken.again}
    </Anchor>
  )
}

type Every<Data extends unknown[]> = { [Index in keyof Data]: LoadingQuery<Data[Index]> }

/** Several requests as one: loaded when all are. */
export function every<Data extends unknown[]>(...queries: Every<Data>): LoadingQuery<Data> {
  const failed = queries.filter(({ data, isError }) => data === undefined && isError)
  const isLoaded = queries.every(({ data }) => data !== undefined)
  return {
    data: isLoaded ? (queries.map(({ data }) => data) as Data) : undefined,
    isError: failed.length > 0,
    error: failed[0]?.error ?? null,
    isFetching: queries.some(({ isFetching }) => isFetching),
    refetch: () => failed.map(({ refetch }) => refetch()),
  }
}
