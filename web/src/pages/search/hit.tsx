import { Anchor, Button, Collapse, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconExternalLink, IconUserCheck } from '@tabler/icons-react'
import { useId } from 'react'
import { isOpenable } from '../../components/openable.ts'
import { searchTexts } from '../../texts/search.ts'
import { piecesOf } from './highlight.ts'
import { Proof } from './proof.tsx'
import classes from './results.module.css'
import { Token } from './token.tsx'
import type { Hit, Person } from './types.ts'

const texts = searchTexts.results
const MAX_CHARACTERS = 320

type Props = { hit: Hit; person: Person; onlyHere: boolean }

/** One hit, with the permissions that let this person read it. */
export function HitItem({ hit, person, onlyHere }: Props) {
  const [open, { toggle }] = useDisclosure(false)
  const id = useId()
  const title = hit.title ?? hit.record_id
  return (
    <li className={classes.hit}>
      <div className={classes.head}>
        <Title title={title} url={hit.url} />
        <Text size="sm" c="dimmed" className="figures">
          {texts.score} {hit.score.toPrecision(3)}
        </Text>
      </div>
      <Text size="sm" className={classes.text}>
        <Excerpt hit={hit} />
      </Text>
      <div className={classes.foot}>
        <span className={classes.tokens}>
          <Text span size="sm" c="dimmed">
            {texts.grantedBy}
          </Text>
          {hit.granted_by.map((token) => (
            <span key={token} className={classes.token}>
              <Token token={token} />
            </span>
          ))}
          {onlyHere ? (
            <span className={classes.only}>
              <IconUserCheck size={14} aria-hidden="true" /> {texts.onlyHere}
            </span>
          ) : null}
        </span>
        <Button
          variant="subtle"
          size="xs"
          aria-expanded={open}
          aria-controls={id}
          aria-label={texts.whyOf(title)}
          rightSection={<IconChevronDown size={14} style={open ? { rotate: '180deg' } : undefined} />}
          onClick={toggle}
        >
          {texts.why}
        </Button>
      </div>
      <Collapse expanded={open} id={id}>
        {open ? <Proof records={[hit.record_id]} person={person} /> : null}
      </Collapse>
    </li>
  )
}

function Title({ title, url }: { title: string; url: string | null }) {
  // The source chose the address: link only what a browser can open.
  if (!url || !isOpenable(url)) return <Text fw={600}>{title}</Text>
  return (
    <Anchor href={url} target="_blank" rel="noopener noreferrer" fw={600}>
      {title} <IconExternalLink size={14} role="img" aria-label={texts.opensSource} />
    </Anchor>
  )
}

function Excerpt({ hit: { highlight, text } }: { hit: Hit }) {
  if (!highlight) return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
  return piecesOf(highlight).map(({ text: piece, marked }, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, in order.
    marked ? <mark key={index}>{piece}</mark> : piece,
  )
}
