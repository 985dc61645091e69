import { Button, Group, Skeleton, Table, Text } from '@mantine/core'
import {
  IconArrowDown,
  IconArrowsSort,
  IconArrowUp,
  IconChevronLeft,
  IconChevronRight,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { nextSort, type Sort, useRows } from '../service/rows.ts'
import { shellTexts } from '../texts/shell.ts'
import { count } from '../texts/times.ts'
import classes from './data-table.module.css'

export type Column<Row> = {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  /** The value to sort by; without it the column is not sortable. */
  sortBy?: (row: Row) => string | number | null
  /** `figure` aligns to the right, with tabular figures. */
  align?: 'start' | 'figure'
  width?: number | string
  /** The service can sort by it. */
  serverSort?: boolean
  /** Hidden on phones. */
  wide?: boolean
  /** Shows the header to screen readers only, for columns of buttons. */
  hiddenHeader?: boolean
}

type Props<Row> = {
  /** What is listed, for screen readers: "API keys". */
  label: string
  columns: Column<Row>[]
  /** Undefined while loading. */
  rows: Row[] | undefined
  rowId: (row: Row) => string
  empty: ReactNode
  initialSort?: Sort
  /** The service's sort order, and how to change it. */
  sorting?: Sorting | undefined
  /** The service's pages, by cursor; else pages of 50 rows. */
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

// Most lists have about three rows, so little moves.
const SKELETON_ROWS = ['a', 'b', 'c']

/** A dense table. A link in the first cell opens a row, by key, mouse or new tab. */
export function DataTable<Row>({
  label,
  columns,
  rows,
  rowId,
  empty,
  initialSort,
  sorting,
  paging,
  selected,
}: Props<Row>) {
  const shown = useRows({ rows, columns, initialSort, paged: !paging })
  if (rows?.length === 0 && (!paging || paging.page === 1)) return <>{empty}</>

  return (
    <div className={classes.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard. */}
      <section className={classes.scroll} aria-label={shellTexts.table.scroll(label)} tabIndex={0}>
        <Table className={classes.table} aria-label={label} aria-busy={rows === undefined}>
          <Table.Thead>
            <Table.Tr>
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
          <Table.Tbody>
            {rows === undefined
              ? SKELETON_ROWS.map((key) => <SkeletonRow key={key} columns={columns} />)
              : shown.rows.map((row) => (
                  <Table.Tr key={rowId(row)} data-selected={selected?.(row) || undefined}>
                    {columns.map((column) => (
                      <Table.Td key={column.id} {...cellProps(column)}>
                        {column.cell(row)}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
          </Table.Tbody>
        </Table>
      </section>
      {paging ? (
        <Pager {...paging} where={shellTexts.table.page(paging.page)} />
      ) : shown.pager ? (
        <Pager {...shown.pager} where={rangeOf(shown.pager)} />
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
    <Table.Th {...cellProps(column)} w={width} aria-sort={sortable ? (direction ?? 'none') : undefined}>
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
    <Table.Tr>
      {columns.map((column) => (
        <Table.Td key={column.id} {...cellProps(column)}>
          <Skeleton height={16} width={column.align === 'figure' ? 40 : '70%'} />
        </Table.Td>
      ))}
    </Table.Tr>
  )
}

function Pager({ where, previous, next }: Omit<CursorPaging, 'page'> & { where: string }) {
  if (!previous && !next) return null
  return (
    <Group justify="flex-end" gap="xs" px="sm" py="xs" className={classes.pager}>
      <Text size="sm" c="dimmed" className="figures" aria-live="polite">
        {where}
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
  return `${count(from)}–${count(to)} of ${count(all)}`
}

function cellProps<Row>({ align, wide }: Column<Row>) {
  return { 'data-align': align, 'data-wide': wide || undefined }
}
