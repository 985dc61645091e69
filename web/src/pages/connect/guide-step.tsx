import { Button, Group, Paper, Text, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { connectTexts as texts } from '../../texts/connect.ts'
import classes from './guide-step.module.css'

type Props = {
  number: number
  title: string
  state: 'open' | 'done' | 'later'
  /** The result of a finished step, in one line. */
  summary?: ReactNode
  onChange?: () => void
  children: ReactNode
}

/** One step of the guide; a finished one is a line with a button to change it. */
export function GuideStep({ number, title, state, summary, onChange, children }: Props) {
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  const before = useRef(state)
  useEffect(() => {
    if (state === 'open' && before.current !== 'open') heading.current?.focus()
    before.current = state
  }, [state])
  return (
    <Paper
      component="section"
      aria-labelledby={id}
      aria-current={state === 'open' ? 'step' : undefined}
      withBorder
      p={{ base: 'md', sm: 'lg' }}
      bg="var(--mr-surface)"
    >
      <Group gap="sm" wrap="nowrap" align="center">
        <span className={classes.mark} data-state={state}>
          {state === 'done' ? <IconCheck size={16} role="img" aria-label={texts.done} /> : number}
        </span>
        <Group gap="2px 12px" flex={1} miw={0}>
          <Title order={2} id={id} ref={heading} tabIndex={-1} c={state === 'later' ? 'dimmed' : undefined}>
            {title}
          </Title>
          {state === 'done' ? (
            <Text span c="dimmed" className={classes.summary}>
              {summary}
            </Text>
          ) : null}
        </Group>
        {state === 'done' && onChange ? (
          <Button variant="default" size="xs" aria-label={texts.changeNamed(title)} onClick={onChange}>
            {texts.change}
          </Button>
        ) : null}
      </Group>
      {state === 'open' ? <div className={classes.content}>{children}</div> : null}
    </Paper>
  )
}
