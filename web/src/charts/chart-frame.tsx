import { Button, Group, Table } from '@mantine/core'
import { IconChartLine, IconTable } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { chartTexts as texts } from '../texts/charts.ts'
import classes from './chart.module.css'

type Props = {
  /** What it shows, in one sentence. */
  label: string
  legend?: ReactNode
  headers: string[]
  /** The same numbers as a table; the first cell names its row. */
  rows: string[][]
  height: number
  children: ReactNode
}

/** A chart or, at the same height, its table. */
export function ChartFrame({ label, legend, headers, rows, height, children }: Props) {
  const [asTable, setAsTable] = useState(false)
  return (
    <div>
      {asTable ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard.
        <section className={classes.table} style={{ height }} aria-label={label} tabIndex={0}>
          <Table aria-label={label} stickyHeader>
            <Table.Thead>
              <Table.Tr>
                {headers.map((header) => (
                  <Table.Th key={header}>{header}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(([name = '', ...values], row) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id.
                <Table.Tr key={row}>
                  <Table.Th scope="row">{name}</Table.Th>
                  {values.map((value, column) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: cells have no id.
                    <Table.Td key={column}>{value}</Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      ) : (
        children
      )}
      <Group justify="space-between" mt={4} gap="xs" mih={30}>
        {legend ?? <span />}
        <Button
          variant="subtle"
          size="xs"
          color="gray"
          c="dimmed"
          leftSection={asTable ? <IconChartLine size={14} /> : <IconTable size={14} />}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? texts.asChart : texts.asTable}
        </Button>
      </Group>
    </div>
  )
}
