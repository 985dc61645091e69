import { Button } from '@mantine/core'
import { IconAlertTriangle, IconArrowDown, IconCircleX, IconInfoCircle } from '@tabler/icons-react'
import { useLayoutEffect, useRef, useState } from 'react'
import { jobTexts } from '../../../texts/jobs.ts'
import { LOCALE } from '../../../texts/language.ts'
import { exactTime } from '../../../texts/times.ts'
import type { LogLine } from './log-lines.ts'
import classes from './log-tab.module.css'

const texts = jobTexts.log
const icons = { info: IconInfoCircle, warning: IconAlertTriangle, error: IconCircleX }
const clock = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'medium', hourCycle: 'h23' })
/** Pixels from the end that still count as the end. */
const END = 24

/** Stays at the end while lines arrive, unless the reader scrolled up. */
export function LogView({ lines, follows }: { lines: LogLine[]; follows: boolean }) {
  const frame = useRef<HTMLElement>(null)
  const [isAtEnd, setAtEnd] = useState(follows)
  const toEnd = () => frame.current?.scrollTo({ top: frame.current.scrollHeight })
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls after new lines only.
  useLayoutEffect(() => {
    if (follows && isAtEnd) toEnd()
  }, [lines])
  return (
    <>
      <section
        ref={frame}
        className={classes.frame}
        aria-label={texts.label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard.
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) =>
          setAtEnd(scrollTop + clientHeight >= scrollHeight - END)
        }
      >
        <ol className={classes.log}>
          {lines.map((line) => (
            <Line key={line.key} line={line} />
          ))}
        </ol>
      </section>
      {follows && !isAtEnd ? (
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'flex-end' }}
          leftSection={<IconArrowDown size={14} />}
          onClick={() => {
            setAtEnd(true)
            toEnd()
          }}
        >
          {texts.follow}
        </Button>
      ) : null}
    </>
  )
}

function Line({ line: { at, level, text, document } }: { line: LogLine }) {
  const Icon = icons[level]
  return (
    <li className={classes.line} data-level={level}>
      <span className={classes.level}>
        <Icon size={14} aria-hidden="true" />
        {texts.levelNames[level]}
      </span>
      <time className={classes.at} dateTime={at ?? undefined} title={at ? exactTime(at, 'UTC') : undefined}>
        {at ? clock.format(new Date(at)) : ''}
      </time>
      <span className={classes.text}>
        {document ? <strong>{document.title || document.recordId}</strong> : null}
        {document ? ': ' : ''}
        {text}
      </span>
    </li>
  )
}
