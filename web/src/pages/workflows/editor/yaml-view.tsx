import { Alert, Anchor, Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconDownload, IconUpload } from '@tabler/icons-react'
import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { CopyButton } from '../../../components/copy-button.tsx'
import { useNotices } from '../../../components/notices.tsx'
import type { FieldErrors } from '../../../service/errors.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { saveYaml } from '../yaml/download.ts'
import { type Connectors, fromYaml, linesOf, toYaml } from '../yaml/yaml.ts'
import type { Problem } from '../yaml/yaml-reader.ts'
import { useEditing } from './editing.ts'
import classes from './yaml-view.module.css'

const texts = workflowsTexts.yaml
const MAX_BYTES = 100_000

type Props = {
  connectors: Connectors
  /** The service's errors about the body. */
  refused: FieldErrors
  onProblems: (problems: number) => void
}

/** The draft as text. Valid text applies at once; errors name their line. */
export function YamlView({ connectors, refused, onProblems }: Props) {
  const { draft, change, disabled } = useEditing()
  const notices = useNotices()
  const [text, setText] = useState(() => toYaml(draft, connectors))
  const written = useRef(draft)
  const area = useRef<HTMLTextAreaElement>(null)
  const help = useId()

  // Follows changes made elsewhere, such as undo.
  useEffect(() => {
    if (written.current === draft) return
    written.current = draft
    setText(toYaml(draft, connectors))
  }, [draft, connectors])

  const problems = useMemo(() => {
    const read = fromYaml(text, connectors)
    return 'problems' in read ? read.problems : linesOf(text, refused)
  }, [text, connectors, refused])
  const blocking = problems.length > 0 && Object.keys(refused).length === 0
  useEffect(() => onProblems(blocking ? problems.length : 0), [onProblems, blocking, problems.length])
  useEffect(() => () => onProblems(0), [onProblems])

  function write(next: string): void {
    setText(next)
    const read = fromYaml(next, connectors, draft.nodes)
    if (!('draft' in read)) return
    written.current = read.draft
    change('yaml', () => read.draft)
  }

  async function open(file: File | null): Promise<void> {
    if (!file) return
    if (file.size > MAX_BYTES) return notices.bad(new Error(texts.tooLarge))
    write(await file.text())
  }

  const lines = text.split('\n')
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" id={help} flex="1 1 280px">
          {texts.help}
        </Text>
        <Group gap="xs">
          <FileButton accept=".yaml,.yml,application/yaml" onChange={open} disabled={disabled}>
            {(props) => (
              <Button {...props} variant="default" size="xs" leftSection={<IconUpload size={14} />}>
                {texts.open}
              </Button>
            )}
          </FileButton>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconDownload size={14} />}
            onClick={() => saveYaml(draft.name, text)}
          >
            {texts.download}
          </Button>
          <CopyButton text={text} what={texts.copyWhat} />
        </Group>
      </Group>
      <div className={classes.frame} data-wrong={problems.length > 0 || undefined}>
        <pre className={classes.numbers} aria-hidden="true">
          {lines.map((_, index) => index + 1).join('\n')}
        </pre>
        <textarea
          ref={area}
          className={classes.text}
          aria-label={texts.label}
          aria-describedby={help}
          aria-invalid={problems.length > 0}
          rows={Math.max(18, lines.length + 1)}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          readOnly={disabled}
          value={text}
          onChange={(event) => write(event.currentTarget.value)}
        />
      </div>
      <YamlStatus problems={problems} onGo={(line) => selectLine(area.current, line)} />
    </Stack>
  )
}

function YamlStatus({ problems, onGo }: { problems: Problem[]; onGo: (line: number) => void }) {
  if (problems.length === 0) {
    return (
      <Group gap={4} role="status">
        <IconCheck size={16} aria-hidden="true" />
        <Text size="sm">{texts.fits}</Text>
      </Group>
    )
  }
  return (
    <Alert
      variant="outline"
      color="var(--mr-bad)"
      icon={<IconAlertTriangle size={18} />}
      title={texts.problems(problems.length)}
      role="status"
    >
      <ul className={classes.problems}>
        {problems.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            <Anchor component="button" type="button" size="sm" underline="always" onClick={() => onGo(line)}>
              {texts.line(line)}
            </Anchor>{' '}
            {message}
          </li>
        ))}
      </ul>
    </Alert>
  )
}

function selectLine(area: HTMLTextAreaElement | null, line: number): void {
  if (!area) return
  const lines = area.value.split('\n')
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0)
  area.focus()
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
}
