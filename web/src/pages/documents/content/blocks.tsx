import { memo, type ReactNode } from 'react'
import { HtmlTable } from '../../../components/html-table.tsx'
import { documentTexts } from '../../../texts/documents.ts'
import type { Block } from '../types.ts'
import classes from './content.module.css'
import { headingLevels } from './heading-levels.ts'
import type { ItemProps } from './use-linked.ts'

const texts = documentTexts.content

type Props = { blocks: Block[]; item: (index: number) => ItemProps; action: (index: number) => ReactNode }

/** The document as it was read. */
export function Blocks({ blocks, item, action }: Props) {
  const levels = headingLevels(blocks)
  return runsOf(blocks).map(([first, ...others]) =>
    blocks[first]?.type === 'ListItem' ? (
      <ul key={first} className={classes.list}>
        {[first, ...others].map((index) => (
          <li
            key={index}
            dir="auto"
            className={classes.block}
            style={indent(blocks[index]?.depth)}
            {...item(index)}
          >
            {blocks[index]?.text}
            {action(index)}
          </li>
        ))}
      </ul>
    ) : (
      <div key={first} className={classes.block} {...item(first)}>
        <BlockContent block={blocks[first]} level={levels[first]} />
        {action(first)}
      </div>
    ),
  )
}

type BlockProps = { block: Block | undefined; level: number | undefined }

const BlockContent = memo(function BlockContent({ block, level }: BlockProps) {
  if (!block) return null
  const { type, text, html } = block
  if (html && (type === 'Table' || type === 'TableChunk'))
    return <HtmlTable html={html} label={texts.table} fallback={text} />
  if (type === 'Title') return <Heading level={level}>{text}</Heading>
  if (type === 'CodeSnippet') return <pre className={classes.code}>{text}</pre>
  if (type === 'Image')
    return (
      <p dir="auto" className={classes.image}>
        {text || texts.image}
      </p>
    )
  return (
    <p dir="auto" className={classes.paragraph}>
      {text}
    </p>
  )
})

const tags = { 3: 'h3', 4: 'h4', 5: 'h5' } as Record<number, 'h3' | 'h4' | 'h5'>

function Heading({ level, children }: { level: number | undefined; children: string }) {
  const Tag = tags[level ?? 0] ?? 'h6'
  return (
    <Tag dir="auto" className={classes.heading} data-level={level}>
      {children}
    </Tag>
  )
}

type Run = [number, ...number[]]

/** Neighbouring list items share a list; other blocks are alone. */
function runsOf(blocks: Block[]): Run[] {
  const runs: Run[] = []
  blocks.forEach(({ type }, index) => {
    const last = runs.at(-1)
    if (type === 'ListItem' && last && blocks[last[0]]?.type === 'ListItem') last.push(index)
    else runs.push([index])
  })
  return runs
}

const MAX_DEPTH = 6

function indent(depth = 1) {
  return { paddingInlineStart: 12 + 20 * Math.min(Math.max(depth, 1), MAX_DEPTH) }
}
