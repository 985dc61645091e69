import { Button, Group, Skeleton, Table, Text } from '@mantine/core'
import {
  IconArrowDown,
  IconArrowsSort,
  IconArrowUp,
  IconChevronLeft,
  IconChevronRight,
} from '@tabler/icons-react'
import { type ReactNode, useRef } from 'react'
import { nextSort, type Sort, useRows } from '../service/rows.ts'
import { shellTexts } from '../texts/shell.ts'
import { count } from '../texts/times.ts'
import classes from './data-table.module.css'
import { type FailedQuery, QueryFailure } from './query-failure.tsx'

export type Column<Row> = {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  /** The value to sort by; without it the column is not sortable. */
  sortBy?: (row: Row) => string | number | null
  /** `end` aligns to the right, with tabular figures. */
  align?: 'start' | 'end'
  width?: number | string
  /** The service can sort by it. */
  serverSort?: boolean
  /** Hidden on phones. */
  hideOnPhone?: boolean
  /** Its part of a card on phones; other columns follow with their names. */
  card?: 'title' | 'state' | 'select'
  /** Shows the header to screen readers only, for columns of buttons. */
  hiddenHeader?: boolean
}

type Props<Row> = {
  /** What is listed, for screen readers: "API keys". */
  label: string
  columns: Column<Row>[]
  /** Undefined while loading. */
  rows: Row[] | undefined
  /** Shows its failure in place of the rows. */
  query?: FailedQuery & { isError: boolean }
  rowId: (row: Row) => string
  empty: ReactNode
  initialSort?: Sort
  /** The service's sort order, and how to change it. */
  sorting?: Sorting | undefined
  /** Pages of the service, by cursor; otherwise pages of 50 rows. */
  paging?: CursorPaging | undefined
  selected?: (row: Row) => boolean
}

export type Sorting = { sort: Sort | undefined; onSort: (sort: Sort) => void }

/** From useCursor(). */
export type CursorPaging = {
  page: number
  previous: (() => void) | undefined
  next: (() => void) | undefined
}

// Most lists have about three rows, so the layout hardly shifts.
const SKELETON_ROWS = 3

/** A dense table; on phones a list of cards, whose roles stay those of a table. A link in the first cell opens the row. */
export function DataTable<Row>({
  label,
  columns,
  rows,
  query,
  rowId,
  empty,
  initialSort,
  sorting,
  paging,
  selected,
}: Props<Row>) {
  const shown = useRows({ rows, columns, initialSort, paged: !paging })
  // The next page is as long as the last, until it has loaded.
  const lastCount = useRef(SKELETON_ROWS)
  if (rows && rows.length > 0) lastCount.current = shown.rows.length
  if (query?.isError && rows === undefined) return <QueryFailure query={query} />
  if (rows?.length === 0 && (!paging || paging.page === 1))
    return (
      <>
        {empty}
        {paging?.next && <Pager {...paging} position={shellTexts.table.page(paging.page)} />}
      </>
    )

  return (
    <div className={classes.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard. */}
      <section className={classes.scroll} aria-label={shellTexts.table.scroll(label)} tabIndex={0}>
        <Table
          role="table"
          className={classes.table}
          aria-label={label}
          aria-busy={rows === undefined}
          data-cards={columns.some(({ card }) => card) || undefined}
        >
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              {columns.map((column) => (
                <Header
                  key={column.id}
                  column={column}
                  sort={sorting ? sorting.sort : shown.sort}
                  onSort={sorting ? (by) => sorting.onSort(nextSort(sorting.sort, by)) : shown.sortBy}
                  sortable={sorting ? column.serverSort === true : column.sortBy !== undefined}
                />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody role="rowgroup">
            {rows === undefined
              ? Array.from({ length: lastCount.current }, (_, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: skeletons have no id.
                  <SkeletonRow key={index} columns={columns} />
                ))
              : shown.rows.map((row) => (
                  <Table.Tr role="row" key={rowId(row)} data-selected={selected?.(row) || undefined}>
                    {columns.map((column) => (
                      <Table.Td role="cell" key={column.id} {...cellProps(column)}>
                        {column.cell(row)}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
          </Table.Tbody>
        </Table>
      </section>
      {paging ? (
        <Pager {...paging} position={shellTexts.table.page(paging.page)} />
      ) : shown.pager ? (
        <Pager {...shown.pager} position={rangeOf(shown.pager)} />
      ) : null}
    </div>
  )
}

type HeaderProps<Row> = {
  column: Column<Row>
  sort: Sort | undefined
  onSort: (id: string) => void
  sortable: boolean
}

function Header<Row>({ column, sort, onSort, sortable }: HeaderProps<Row>) {
  const { id, header, hiddenHeader, width } = column
  const direction = sort?.by === id ? sort.direction : undefined
  const Icon = direction === 'ascending' ? IconArrowUp : direction ? IconArrowDown : IconArrowsSort
  return (
    <Table.Th
      role="columnheader"
      {...cellProps(column)}
      w={width}
      aria-sort={sortable ? (direction ?? 'none') : undefined}
    >
      {sortable ? (
        <button
          type="button"
          className={classes.sort}
          onClick={() => onSort(id)}
          title={shellTexts.table.sort(header)}
        >
          {header}
          <Icon size={14} aria-hidden="true" data-idle={direction ? undefined : true} />
        </button>
      ) : (
        <span className={hiddenHeader ? classes.hidden : undefined}>{header}</span>
      )}
    </Table.Th>
  )
}

function SkeletonRow<Row>({ columns }: { columns: Column<Row>[] }) {
  return (
    <Table.Tr role="row">
      {columns.map((column) => (
        <Table.Td role="cell" key={column.id} {...cellProps(column)}>
          <Skeleton height={16} width={column.align === 'end' ? 40 : '70%'} />
        </Table.Td>
      ))}
    </Table.Tr>
  )
}

function Pager({ position, previous, next }: Omit<CursorPaging, 'page'> & { position: string }) {
  if (!previous && !next) return null
  return (
    <Group justify="flex-end" gap="xs" px="sm" py="xs" className={classes.pager}>
      <Text size="sm" c="dimmed" className="figures" aria-live="polite">
        {position}
      </Text>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconChevronLeft size={14} />}
        disabled={!previous}
        onClick={previous}
      >
        {shellTexts.table.previous}
      </Button>
      <Button
        variant="default"
        size="xs"
        rightSection={<IconChevronRight size={14} />}
        disabled={!next}
        onClick={next}
      >
        {shellTexts.table.next}
      </Button>
    </Group>
  )
}

function rangeOf({ from, to, all }: { from: number; to: number; all: number }): string {
  return shellTexts.table.range(count(from), count(to), count(all))
}

function cellProps<Row>({ align, header, hiddenHeader, hideOnPhone, card }: Column<Row>) {
  return {
    'data-align': align,
    'data-hide-on-phone': hideOnPhone || undefined,
    'data-card': card,
    // On phones, each row is a card with its headers.
    'data-label': hiddenHeader ? undefined : header,
  }
}
