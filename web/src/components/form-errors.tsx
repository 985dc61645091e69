import { Alert, Anchor } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import type { FormFailure } from '../schema-form/form.ts'
import { shellTexts } from '../texts/shell.ts'
import classes from './form-errors.module.css'
import { useFailureShown } from './notices.tsx'

type Props = { failure: string | FormFailure | undefined }

/** Errors of the whole form with links to its fields; a new text scrolls into view and takes the focus. */
export function FormErrors({ failure }: Props) {
  const { text, problems } = typeof failure === 'object' ? failure : { text: failure, problems: [] }
  const region = useRef<HTMLDivElement>(null)
  const before = useRef(text)
  useFailureShown(failure !== undefined)
  useEffect(() => {
    const isNew = text !== undefined && text !== before.current
    before.current = text
    if (!isNew) return
    region.current?.focus({ preventScroll: true })
    region.current?.scrollIntoView({ block: 'nearest' })
  }, [text])
  return (
    <div role="alert" className={classes.region} ref={region} tabIndex={-1}>
      {text || problems.length > 0 ? (
        <Alert variant="outline" color="var(--mr-bad)" icon={<IconAlertTriangle size={18} />} p="sm">
          <div className={classes.text}>{text ?? shellTexts.fixErrors}</div>
          {problems.length > 0 ? (
            <ul className={classes.problems}>
              {problems.map(({ name, text: problem, go }) => (
                <li key={name + problem}>
                  <Anchor component="button" type="button" size="sm" underline="always" onClick={go}>
                    {problem.startsWith(name) ? problem : `${name}: ${problem}`}
                  </Anchor>
                </li>
              ))}
            </ul>
          ) : null}
        </Alert>
      ) : null}
    </div>
  )
}
