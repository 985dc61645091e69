import { Anchor, Text, VisuallyHidden } from '@mantine/core'
import {
  IconChevronDown,
  IconCircleCheck,
  IconExternalLink,
  IconEyeOff,
  IconHandStop,
} from '@tabler/icons-react'
import { useId, useState } from 'react'
import { isOpenable } from '../../components/openable.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { labTexts } from '../../texts/lab.ts'
import { useSpaceWords } from './comparison.ts'
import { Excerpt } from './excerpt.tsx'
import { useLab } from './lab-context.ts'
import { Proof } from './proof.tsx'
import { resultId } from './result-id.ts'
import classes from './results.module.css'
import type { ComparedDocument, Status } from './types.ts'
import { filetypeWords } from './value-words.ts'

const texts = labTexts.results

type Props = { document: ComparedDocument; names: string[]; isChosen: boolean }

/** One document, with the status of every person; a status opens its proof. */
export function ResultRow({ document, names, isChosen }: Props) {
  const { people, go } = useLab()
  const [opened, setOpened] = useState<number>()
  const id = useId()
  const { record_id: recordId, highlights, text } = document
  const shownId = resultId(document)
  const title = document.title ?? recordId
  const [person, shown] = opened === undefined ? [] : [people[opened], document.people[opened]]
  return (
    <li className={classes.row} data-chosen={isChosen || undefined}>
      <div className={classes.main}>
        <div className={classes.head}>
          <button
            type="button"
            id={titleId(shownId)}
            dir="auto"
            className={classes.title}
            aria-pressed={isChosen}
            onClick={() => void go({ record: isChosen ? undefined : shownId }, { replace: true })}
          >
            {title}
          </button>
          <SourceLink url={document.url} />
        </div>
        {document.path_in_archive ? <Text size="sm">{document.path_in_archive}</Text> : null}
        <Facts document={document} />
        <Text size="sm" dir="auto" className={classes.text} lineClamp={3}>
          <Excerpt text={text} highlights={highlights} />
        </Text>
      </div>
      <ul className={classes.statuses} aria-label={texts.who}>
        {document.people.map(({ status }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one status per person, in their order.
          <li key={index}>
            <StatusButton
              status={status}
              name={names[index] ?? ''}
              title={title}
              controls={id}
              isOpen={opened === index}
              onToggle={() => setOpened(opened === index ? undefined : index)}
            />
          </li>
        ))}
      </ul>
      <div id={id} className={classes.proof}>
        {opened !== undefined && person && shown ? (
          <Proof
            recordId={recordId}
            person={person}
            name={names[opened] ?? ''}
            searched={{ status: shown.status, stoppedBy: shown.stopped_by }}
          />
        ) : null}
      </div>
    </li>
  )
}

/** Where the focus goes after more results load and after the pane closes. */
export function titleId(shownId: string): string {
  return `result ${shownId}`.replaceAll(' ', '-')
}

const icons = { found: IconCircleCheck, stopped: IconHandStop, hidden: IconEyeOff }

type StatusProps = {
  status: Status
  name: string
  title: string
  controls: string
  isOpen: boolean
  onToggle: () => void
}

function StatusButton({ status, name, title, controls, isOpen, onToggle }: StatusProps) {
  const Icon = icons[status]
  return (
    <button
      type="button"
      className={classes.status}
      data-status={status}
      aria-expanded={isOpen}
      aria-controls={controls}
      onClick={onToggle}
    >
      <span className={classes.person}>{name} </span>
      <Icon size={16} aria-hidden="true" className={classes.icon} />
      {texts.statuses[status]}
      <VisuallyHidden> {texts.why(title)}</VisuallyHidden>
      <IconChevronDown size={14} aria-hidden="true" className={classes.chevron} />
    </button>
  )
}

function SourceLink({ url }: { url: string | null }) {
  // The address comes from the source: link only what a browser can open.
  if (!url || !isOpenable(url)) return null
  return (
    <Anchor href={url} target="_blank" rel="noopener noreferrer" className={classes.source}>
      <IconExternalLink size={16} role="img" aria-label={texts.open} />
    </Anchor>
  )
}

function Facts({ document: { space_key: space, filetype, date_modified: at } }: Pick<Props, 'document'>) {
  const { terms } = useLab()
  const wordsOfSpace = useSpaceWords()
  return (
    <Text size="sm" c="dimmed">
      {[space ? wordsOfSpace(space) : null, filetype ? filetypeWords(filetype, terms) : null]
        .filter(Boolean)
        .join(' · ')}
      {at ? (
        <>
          {space || filetype ? ' · ' : ''}
          {texts.changed} <RelativeTime at={at} />
        </>
      ) : null}
    </Text>
  )
}
