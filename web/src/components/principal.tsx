import { Popover, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { useNames } from '../service/names.ts'
import { principalTexts as texts } from '../texts/principals.ts'
import { CopyButton } from './copy-button.tsx'
import classes from './principal.module.css'
import { classWords, principalOf } from './principal-token.ts'

type Props = {
  /** `user:…`, `group:…` or `class:…`, as in permissions. */
  token: string
  destinationId: string | null | undefined
  /** A name that the response already has. */
  name?: string | null | undefined
  /** Without the kind in front: Ann instead of person Ann. */
  bare?: boolean
  /** Text only, for use inside buttons and links. */
  plain?: boolean
}

/** A person, group or class by name; its id is one hover or key press away. */
export function Principal({ token, destinationId, name: given, bare = false, plain = false }: Props) {
  const { kind, id } = principalOf(token)
  const isWanted = !given
  const names = useNames(destinationId, {
    users: isWanted && kind === 'user' ? [id] : [],
    groups: isWanted && kind === 'group' ? [id] : [],
  })
  if (kind === 'class') return <span>{classWords(id)}</span>
  if (kind === 'other') return <span className="mono">{id}</span>
  const known = given ?? (kind === 'user' ? names.users : names.groups).get(id)
  const words = known ?? id
  return (
    <>
      {bare ? '' : `${texts[kind]} `}
      {plain ? (
        <span title={id}>{words}</span>
      ) : (
        <NameWithId name={words} id={id} label={texts.ids[kind]} isKnown={known !== undefined} />
      )}
    </>
  )
}

// Long enough to move the pointer to the card.
const HOVER_MS = 200

type NameProps = { name: string; id: string; label: string; isKnown: boolean }

/** Opens on hover; a press also moves the focus to the copy button. */
function NameWithId({ name, id, label, isKnown }: NameProps) {
  const [opened, setOpened] = useState<false | 'hover' | 'press'>(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const hover = (next: (now: typeof opened) => typeof opened) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setOpened(next), HOVER_MS)
  }
  const onHover = {
    onMouseEnter: () => hover((now) => now || 'hover'),
    onMouseLeave: () => hover((now) => now === 'press' && now),
  }
  return (
    <Popover
      opened={opened !== false}
      onChange={(isOpen) => setOpened(isOpen && 'press')}
      position="top"
      withinPortal
      shadow="md"
      trapFocus={opened === 'press'}
      returnFocus={opened === 'press'}
    >
      <Popover.Target>
        <button
          type="button"
          className={isKnown ? classes.name : `${classes.name} ${classes.unknown} mono`}
          aria-label={texts.show(name)}
          onClick={() => setOpened(opened === 'press' ? false : 'press')}
          {...onHover}
        >
          {name}
        </button>
      </Popover.Target>
      <Popover.Dropdown p="xs" {...onHover}>
        <div className={classes.card}>
          <Text span inherit c="dimmed">
            {label}
          </Text>
          <span className="mono">{id}</span>
          <CopyButton text={id} what={texts.id(name)} />
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}
