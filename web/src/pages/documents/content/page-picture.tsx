import { Alert, Group, Skeleton, Text } from '@mantine/core'
import { IconAlertTriangle, IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useState } from 'react'
import { IconButton } from '../../../components/icon-button.tsx'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { useApi } from '../../../service/session.ts'
import { documentTexts } from '../../../texts/documents.ts'
import type { DocumentContent, DrawnPage } from '../types.ts'
import classes from './content.module.css'
import { isMarked } from './links.ts'
import { type Linked, scrollInside } from './use-linked.ts'

const texts = documentTexts.content

export type DocumentKey = { record_id: string; workflow_id: string }
type Props = {
  documentKey: DocumentKey
  content: DocumentContent
  linked: Linked
  pane: RefObject<HTMLDivElement | null>
}

/** A page of a PDF with the active block or element outlined; it follows the focus. */
export function PagePicture({ documentKey, content, linked: { links, active, focused }, pane }: Props) {
  const { blocks } = content
  const focusedPage = blocks.find((_, index) => isMarked(links, focused, { side: 'blocks', index }))?.page
  const [page, setPage] = useState(focusedPage ?? 1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each focus shows its page, also after paging.
  useEffect(() => {
    if (focusedPage) setPage(focusedPage)
  }, [focused])
  const picture = useQuery({
    ...useApi().query<DrawnPage>('/documents/page', { ...documentKey, page }),
    // Every request reads the source and adds an audit entry.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    retry: false,
    placeholderData: keepPreviousData,
  })
  const { data } = picture
  const pages = data?.pages ?? page
  const onPage = blocks.flatMap((block, index) => (block.page === data?.page ? [{ ...block, index }] : []))
  const outlined = onPage.filter(({ index }) => isMarked(links, active, { side: 'blocks', index }))
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another part is outlined.
  useEffect(() => {
    scrollInside(pane.current, pane.current?.querySelector('[data-outline]') ?? null)
  }, [active, data])
  return (
    <>
      <Group gap={4}>
        <IconButton
          label={texts.previousPage}
          icon={<IconChevronLeft size={18} />}
          onClick={() => setPage(Math.max(1, page - 1))}
        />
        <Text size="sm" className="figures" role="status">
          {data ? texts.pageOf(page, pages) : texts.loadingPage}
        </Text>
        <IconButton
          label={texts.nextPage}
          icon={<IconChevronRight size={18} />}
          onClick={() => setPage(Math.min(pages, page + 1))}
        />
      </Group>
      {picture.isError ? <QueryFailure query={picture} /> : null}
      {data && data.version !== content.version ? (
        <Alert variant="outline" color="var(--mr-warning)" icon={<IconAlertTriangle size={18} />} p="sm">
          {texts.otherPageVersion(data.version)}
        </Alert>
      ) : null}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard. */}
      <div ref={pane} className={classes.pane} role="group" aria-label={texts.page} tabIndex={0}>
        {data ? (
          <div className={classes.sheet} style={{ aspectRatio: `${data.width} / ${data.height}` }}>
            <img src={`data:image/png;base64,${data.png}`} alt={texts.pageOf(data.page, pages)} />
            {outlined.map(({ index, box }) =>
              box ? <div key={index} data-outline style={placed(box, data)} /> : null,
            )}
          </div>
        ) : picture.isError ? null : (
          <Skeleton height="60vh" />
        )}
      </div>
      {data && onPage.length === 0 && blocks.length === content.total_blocks ? (
        <Text size="sm" c="dimmed">
          {texts.noTextOnPage}
        </Text>
      ) : null}
    </>
  )
}

type Box = NonNullable<DocumentContent['blocks'][number]['box']>

function placed({ left, top, right, bottom }: Box, { width, height }: DrawnPage) {
  return {
    left: `${(left / width) * 100}%`,
    top: `${(top / height) * 100}%`,
    width: `${((right - left) / width) * 100}%`,
    height: `${((bottom - top) / height) * 100}%`,
  }
}
