import { UnstyledButton } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { useWorkspace } from '../../service/session.ts'
import { labTexts } from '../../texts/lab.ts'
import { useLab } from './lab-context.ts'
import classes from './start-actions.module.css'

const texts = labTexts.start

/** Before the first query: what can be done here. */
export function StartActions() {
  const { mayName } = useLab()
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={classes.title}>
        {mayName ? texts.title : texts.ownTitle}
      </h2>
      <div className={classes.actions}>{mayName ? <LabActions /> : <OwnActions />}</div>
    </section>
  )
}

function LabActions() {
  return (
    <>
      <FocusAction text={texts.compare} field="people" />
      <FocusAction text={texts.self} field="query" />
      <FocusAction text={texts.check} field="page" />
    </>
  )
}

function OwnActions() {
  const { id: workspaceId } = useWorkspace()
  return (
    <>
      <FocusAction text={texts.search} field="query" />
      <Link
        to="/w/$workspaceId/settings/$section"
        params={{ workspaceId, section: 'account' }}
        className={classes.action}
      >
        <Action text={texts.account} />
      </Link>
      <Link to="/w/$workspaceId/keys" params={{ workspaceId }} className={classes.action}>
        <Action text={texts.token} />
      </Link>
    </>
  )
}

type ActionText = { title: string; text: string }

/** Moves the focus to the field that the action needs. */
function FocusAction({ text, field }: { text: ActionText; field: string }) {
  return (
    <UnstyledButton className={classes.action} onClick={() => focusField(field)}>
      <Action text={text} />
    </UnstyledButton>
  )
}

export function focusField(name: string): void {
  document.querySelector<HTMLElement>(`#main [name="${name}"]`)?.focus()
}

function Action({ text: { title, text } }: { text: ActionText }) {
  return (
    <>
      <span className={classes.name}>
        {title} <IconArrowRight size={16} aria-hidden="true" />
      </span>
      <span className={classes.text}>{text}</span>
    </>
  )
}
